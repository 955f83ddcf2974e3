package zset

// Verdict is what a look at a score decides.
type Verdict uint8

// The verdicts: a member is passed over, taken, or the last one was before it.
const (
	Pass Verdict = iota
	Take
	Stop
)

// Look goes over the members from a rank on. What look says of a member's score
// decides whether visit is called for it; both change nothing. Of a large
// sorted set the texts of those passed over are not even read. It ends where
// look says so, visit returns false, or there are no more.
func (m *Members) Look(first int, look func(score float64) Verdict, visit func(member []byte, score float64) (more bool)) {
	if m.large != nil {
		m.large.look(first, look, visit)
		return
	}
	m.packed.each(min(first, m.packed.len()), m.packed.len(), func(member []byte, score float64) (more bool) {
		switch look(score) {
		case Pass:
			return true
		case Take:
			return visit(member, score)
		}
		return false
	})
}

func (l *large) look(first int, look func(score float64) Verdict, visit visitor) {
	for first < l.Len() {
		run := l.order.RunFrom(first, l.Len()-first)
		first += run.Len()
		for i := range run.Len() {
			score, r := run.At(i)
			verdict := look(score)
			if verdict == Stop || verdict == Take && !visit(l.text(r), score) {
				return
			}
		}
	}
}
