package transcript

import "github.com/troupedb/troupe/resp"

// Record makes the transcript want what was answered. in3 is the result in
// RESP3, in2 that in RESP2; in2 is nil for a transcript that keeps to the wire.
// Marks that fit what was answered stay.
func (t *Transcript) Record(in3, in2 *Result) {
	for i, step := range t.Steps {
		step.Want = step.Want[:min(len(step.Want), len(in3.Got[i]))]
		for n, got := range in3.Got[i] {
			var old Want
			if n < len(step.Want) {
				old = step.Want[n]
			} else {
				step.Want = append(step.Want, old)
			}
			want := Want{Reply: adopt(old.Reply, got)}
			if in2 != nil && n < len(in2.Got[i]) {
				want = want.with2(in2.Got[i][n], old)
			}
			step.Want[n] = want
		}
	}
}

// with2 adds the reply of RESP2, unless it follows from that of RESP3; a null
// that is an array there is written as one.
func (w Want) with2(got resp.Reply, old Want) Want {
	w.Reply = adoptNulls(w.Reply, got)
	derived, _, err := resp.Decode(resp.V2.Append(nil, w.Reply))
	if err == nil && (names{}).matches(derived, got) {
		return w
	}
	if old.Reply2 != nil {
		got = adopt(*old.Reply2, got)
	}
	w.Reply2 = &got
	return w
}

// adoptNulls makes null arrays of the nulls of r that are such in RESP2.
func adoptNulls(r, in2 resp.Reply) resp.Reply {
	switch {
	case r.IsNull() && in2.IsNull():
		return in2
	case len(r.Items()) == 0 || len(r.Items()) != len(in2.Items()):
		return r
	}
	items := make([]resp.Reply, len(r.Items()))
	for i, item := range r.Items() {
		items[i] = adoptNulls(item, in2.Items()[i])
	}
	return withItems(r, items)
}
