package cli

import (
	"slices"

	"github.com/troupedb/troupe/resp"
)

// applyDelta makes the state after of the state before and what is different.
// Of a list whose elements are pairs that RESP2 does not show, pairs is true.
func applyDelta(before, delta resp.Reply, pairs bool) resp.Reply {
	parts := fields(delta)
	switch {
	case before.Kind() == resp.Pairs:
		return resp.Map(replaceFields(before.Items(), parts)...)
	case before.Kind() == resp.Unordered:
		gone := texts(parts["removed"].Items())
		left := slices.DeleteFunc(slices.Clone(before.Items()), func(r resp.Reply) bool { return gone[text(r)] })
		return resp.Set(append(left, parts["added"].Items()...)...)
	case has(parts, "set"): // a map, as RESP2 shows it
		return resp.Array(replaceFields(before.Items(), parts)...)
	}
	if !pairs {
		return resp.Array(replacePlaces(before.Items(), parts)...)
	}
	var twos, flat []resp.Reply
	items := before.Items()
	for i := 0; i+1 < len(items); i += 2 {
		twos = append(twos, resp.Array(items[i:i+2]...))
	}
	for _, two := range replacePlaces(twos, parts) {
		flat = append(flat, two.Items()...)
	}
	return resp.Array(flat...)
}

func has(parts map[string]resp.Reply, name string) bool {
	_, found := parts[name]
	return found
}

// replaceFields changes fields where they stand; new ones come at the end.
func replaceFields(items []resp.Reply, parts map[string]resp.Reply) (after []resp.Reply) {
	gone := texts(parts["removed"].Items())
	set := map[string]resp.Reply{}
	changed := parts["set"].Items()
	for i := 0; i+1 < len(changed); i += 2 {
		set[text(changed[i])] = changed[i+1]
	}
	for i := 0; i+1 < len(items); i += 2 {
		name := text(items[i])
		if gone[name] {
			continue
		}
		value, isNew := set[name]
		if !isNew {
			value = items[i+1]
		}
		delete(set, name)
		after = append(after, items[i], value)
	}
	for i := 0; i+1 < len(changed); i += 2 {
		if _, isNew := set[text(changed[i])]; isNew {
			after = append(after, changed[i], changed[i+1])
		}
	}
	return after
}

// replacePlaces takes out what was removed or moved, puts what was moved or added
// in its place, and fills the others with what is left.
func replacePlaces(items []resp.Reply, parts map[string]resp.Reply) (after []resp.Reply) {
	taken := map[int64]bool{}
	fixed := map[int64]resp.Reply{}
	for _, from := range parts["removed"].Items() {
		taken[from.Int()] = true
	}
	moved, added := parts["moved"].Items(), parts["added"].Items()
	for i := 0; i+1 < len(moved); i += 2 {
		from, to := moved[i].Int(), moved[i+1].Int()
		if taken[from] = true; from >= 0 && from < int64(len(items)) {
			fixed[to] = items[from]
		}
	}
	for i := 0; i+1 < len(added); i += 2 {
		fixed[added[i].Int()] = added[i+1]
	}
	rest := 0
	for int64(len(after)) < int64(len(items)-len(taken)+len(fixed)) {
		if item, isFixed := fixed[int64(len(after))]; isFixed {
			after = append(after, item)
			continue
		}
		for taken[int64(rest)] {
			rest++
		}
		if rest >= len(items) {
			break // the delta is of another state
		}
		after = append(after, items[rest])
		rest++
	}
	return after
}

// text tells replies apart.
func text(r resp.Reply) string { return string(resp.V3.Append(nil, r)) }

func texts(items []resp.Reply) map[string]bool {
	all := make(map[string]bool, len(items))
	for _, item := range items {
		all[text(item)] = true
	}
	return all
}
