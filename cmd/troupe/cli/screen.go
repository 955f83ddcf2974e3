package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/chzyer/readline"

	"github.com/troupedb/troupe/resp"
)

// screen shows a live query where the cursor stands, and draws anew over what it
// has drawn.
type screen struct {
	query   string
	colours bool
	size    func() (width, height int)
	now     func() time.Time

	state    resp.Reply // what is shown, Nothing at first
	next     resp.Reply // what the next picture shows
	isNew    bool       // it is another
	rows     []row
	frame    frame
	covered  int64  // by all frames
	notice   string // in place of the rate
	meter    meter
	pictured []int // the widths of the lines drawn
}

// take has a frame shown by the next picture, which marks what has changed since
// the one before it, whatever the number of frames between.
func (s *screen) take(f frame, state resp.Reply) {
	s.frame, s.notice = f, ""
	if f.kind == "reset" {
		s.notice = "reset: what lies between is not known"
	}
	s.covered += f.covered
	s.meter.add(s.now(), f.covered)
	if f.kind != "progress" {
		s.next, s.isNew = state, true
	}
}

// picture is what to write to show all; the cursor ends below it.
func (s *screen) picture() []byte {
	if s.isNew {
		s.rows, s.state, s.isNew = mark(s.state, s.next), s.next, false
	}
	width, height := s.size()
	lines := []string{
		s.query + "    (Ctrl-C ends)",
		fmt.Sprintf("version %d  covered %d, in all %d  rate %s/s  %s", s.frame.version, s.frame.covered, s.covered, s.meter.rate(s.now()), s.frame.kind),
	}
	if s.notice != "" {
		lines = append(lines, s.notice)
	}
	signs := strings.Repeat(" ", len(lines))
	room := max(height-len(lines)-1, 1)
	rows := s.rows
	if len(rows) > room {
		rows = rows[:room-1]
	}
	for _, r := range rows {
		lines, signs = append(lines, string(r.sign)+" "+r.text), signs+string(r.sign)
	}
	if left := len(s.rows) - len(rows); left > 0 {
		lines, signs = append(lines, fmt.Sprintf("  … %d more lines", left)), signs+" "
	}
	return s.draw(lines, signs, width)
}

// draw goes back to where the last picture began, as wide as the terminal is now.
func (s *screen) draw(lines []string, signs string, width int) (out []byte) {
	up := 0
	for _, drawn := range s.pictured {
		up += 1 + max(drawn-1, 0)/max(width, 1)
	}
	if up > 0 {
		out = fmt.Appendf(out, "\x1b[%dA", up)
	}
	out = append(out, '\r')
	s.pictured = s.pictured[:0]
	for i, line := range lines {
		runes := []rune(printable(line))
		if len(runes) >= width {
			runes = append(runes[:max(width-2, 0)], '…')
		}
		s.pictured = append(s.pictured, len(runes))
		out = append(out, s.coloured(string(runes), signs[i], i)...)
		out = append(out, "\x1b[K\n"...)
	}
	return append(out, "\x1b[J"...)
}

// printable is a line that cannot steer the terminal.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, line)
}

// colours are those of the signs.
var colours = map[byte]string{isNew: "32", changed: "33", rose: "36", fell: "36", gone: "31"}

func (s *screen) coloured(line string, sign byte, at int) string {
	colour := colours[sign]
	if at == 0 {
		colour = "1"
	}
	if !s.colours || colour == "" {
		return line
	}
	return "\x1b[" + colour + "m" + line + "\x1b[0m"
}

// terminalSize is the size of the terminal that the output is; a common one if
// it does not tell.
func terminalSize() (width, height int) {
	width, height, err := readline.GetSize(1)
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// meter measures how many changes come in a second, over the last ten.
type meter struct{ seen []change }

type change struct {
	at   time.Time
	many int64
}

const meterSpan = 10 * time.Second

func (m *meter) add(now time.Time, many int64) {
	if many > 0 {
		m.seen = append(m.seen, change{now, many})
	}
	m.forget(now)
}

func (m *meter) forget(now time.Time) {
	old := 0
	for old < len(m.seen) && now.Sub(m.seen[old].at) > meterSpan {
		old++
	}
	m.seen = m.seen[old:]
}

// isMoving reports whether the rate will fall if nothing comes.
func (m *meter) isMoving() bool { return len(m.seen) > 0 }

func (m *meter) rate(now time.Time) string {
	m.forget(now)
	var sum int64
	for _, c := range m.seen {
		sum += c.many
	}
	return fmt.Sprintf("%.1f", float64(sum)/meterSpan.Seconds())
}
