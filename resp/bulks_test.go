package resp

import "testing"

// A Bulks is told in every way as the Array of its texts is.
func TestBulks(t *testing.T) {
	t.Parallel()
	f := func(texts ...string) {
		t.Helper()
		var encoded []byte
		for _, text := range texts {
			encoded = AppendBulk(encoded, []byte(text))
		}
		got, want := Bulks(len(texts), encoded), Strings(texts...)
		for _, way := range []struct {
			name string
			tell func(Reply) string
		}{
			{"RESP2", func(r Reply) string { return string(V2.Append(nil, r)) }},
			{"RESP3", func(r Reply) string { return string(V3.Append(nil, r)) }},
			{"JSON", func(r Reply) string { return string(AppendJSON(nil, r)) }},
			{"a transcript", Format},
			{"items", func(r Reply) string { return Format(Array(r.Items()...)) }},
			{"a clone", func(r Reply) string { return Format(r.Clone()) }},
			{"nested", func(r Reply) string { return Format(Array(One, r)) }},
			{"nested, in RESP2", func(r Reply) string { return string(V2.Append(nil, Map(One, r))) }},
		} {
			if way.tell(got) != way.tell(want) {
				t.Errorf("in %s: %q, want %q", way.name, way.tell(got), way.tell(want))
			}
		}
		if room := len(V3.Append(nil, got)); got.Room() < room {
			t.Errorf("room for %d bytes, %d are needed", got.Room(), room)
		}
	}
	f()
	f("")
	f("a", "", "b")
	f("a\r\n$1\r\nx\r\n", "\x00\xff")
	f(string(make([]byte, 70000)), "a long line of a transcript, which is spread over several lines of their own")
}

func BenchmarkBulks(b *testing.B) {
	texts, dst := make([][]byte, 100), make([]byte, 0, 1<<12)
	for i := range texts {
		texts[i] = []byte("member:123")
	}
	b.Run("array", func(b *testing.B) {
		items := make([]Reply, 0, len(texts))
		for b.Loop() {
			clear(items)
			items = items[:0]
			for _, text := range texts {
				items = append(items, Bulk(text))
			}
			dst = V2.Append(dst[:0], Array(items...))
		}
	})
	b.Run("bulks", func(b *testing.B) {
		var encoded []byte
		for b.Loop() {
			encoded = encoded[:0]
			for _, text := range texts {
				encoded = AppendBulk(encoded, text)
			}
			dst = V2.Append(dst[:0], Bulks(len(texts), encoded))
		}
	})
}

// Items that are arrays are told as arrays.
func TestBulksOfArrays(t *testing.T) {
	t.Parallel()
	encoded := AppendBulk(AppendArray(nil, 2), []byte("id"))
	encoded = AppendBulk(AppendBulk(AppendArray(encoded, 2), []byte("f")), []byte("v\r\n"))
	encoded = AppendArray(encoded, 0)
	got := Bulks(2, encoded)
	want := Array(Array(BulkString("id"), Strings("f", "v\r\n")), EmptyList)
	if Format(got) != Format(want) || string(AppendJSON(nil, got)) != string(AppendJSON(nil, want)) {
		t.Errorf("%s, want %s", Format(got), Format(want))
	}
	if g, w := string(V2.Append(nil, got)), string(V2.Append(nil, want)); g != w {
		t.Errorf("%q, want %q", g, w)
	}
}

// A Named is a map, and in RESP2 an array of arrays.
func TestNamed(t *testing.T) {
	t.Parallel()
	r := Named(BulkString("s"), Strings("a"))
	if got, want := string(V3.Append(nil, r)), "%1\r\n$1\r\ns\r\n*1\r\n$1\r\na\r\n"; got != want {
		t.Errorf("RESP3: %q, want %q", got, want)
	}
	if got, want := string(V2.Append(nil, r.Clone())), "*1\r\n*2\r\n$1\r\ns\r\n*1\r\n$1\r\na\r\n"; got != want {
		t.Errorf("RESP2: %q, want %q", got, want)
	}
}
