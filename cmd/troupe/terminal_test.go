package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
)

// terminal is a screen and a keyboard with a program between them: what it
// prints is carried out as terminals do, as far as programs of ours need.
type terminal struct {
	t     *testing.T
	cmd   *exec.Cmd
	file  *os.File
	ended chan error

	mu            sync.Mutex
	width, height int
	lines         [][]rune
	x, y          int // of the cursor
	kept          [2]int
}

// openTerminal runs a program on a terminal of its own.
func openTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	x := &terminal{t: t, cmd: cmd, ended: make(chan error, 1), width: 80, height: 24}
	x.lines = make([][]rune, x.height)
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(x.height), Cols: uint16(x.width)})
	if err != nil {
		t.Fatal(err)
	}
	x.file = file
	go func() {
		var held []byte
		for buf := make([]byte, 4096); ; {
			n, err := file.Read(buf)
			held = x.show(append(held, buf[:n]...))
			if err != nil {
				x.ended <- cmd.Wait()
				return
			}
		}
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		file.Close()
	})
	return x
}

// show carries out what is printed and returns the beginning of what is not whole yet.
func (x *terminal) show(text []byte) (rest []byte) {
	x.mu.Lock()
	defer x.mu.Unlock()
	runes := []rune(string(text))
	for i := 0; i < len(runes); {
		switch r := runes[i]; r {
		case '\r':
			x.x = 0
		case '\n':
			x.down()
		case '\b':
			x.x = max(x.x-1, 0)
		case '\a':
		case '\x1b':
			used := x.escape(runes[i+1:])
			if used == 0 {
				return []byte(string(runes[i:]))
			}
			i += used
		default:
			x.put(r)
		}
		i++
	}
	return nil
}

func (x *terminal) down() {
	if x.y++; x.y == x.height {
		x.lines = append(x.lines[1:], nil)
		x.y--
	}
}

func (x *terminal) put(r rune) {
	if x.x == x.width {
		x.x = 0
		x.down()
	}
	for len(x.lines[x.y]) <= x.x {
		x.lines[x.y] = append(x.lines[x.y], ' ')
	}
	x.lines[x.y][x.x] = r
	x.x++
}

// escape carries out a sequence and returns how many runes it has, 0 if it is not whole.
func (x *terminal) escape(runes []rune) (used int) {
	if len(runes) == 0 {
		return 0
	}
	switch runes[0] {
	case '7':
		x.kept = [2]int{x.x, x.y}
		return 1
	case '8':
		x.x, x.y = x.kept[0], x.kept[1]
		return 1
	case '[':
	default:
		x.t.Errorf("the program prints ESC %q", runes[0])
		return 1
	}
	end := slices.IndexFunc(runes[1:], func(r rune) bool { return r >= '@' })
	if end < 0 {
		return 0
	}
	number := string(runes[1 : 1+end])
	x.control(runes[1+end], number)
	return end + 2
}

func (x *terminal) control(name rune, number string) {
	n, _ := strconv.Atoi(number)
	n = max(n, 1)
	switch name {
	case 'A':
		x.y = max(x.y-n, 0)
	case 'C':
		x.x = min(x.x+n, x.width-1)
	case 'J':
		x.clearRight()
		for y := x.y + 1; y < x.height; y++ {
			x.lines[y] = nil
		}
	case 'K':
		if number == "2" {
			x.lines[x.y] = nil
			return
		}
		x.clearRight()
	case 'H':
		x.x, x.y = 0, 0
	case 'm':
	default:
		x.t.Errorf("the program prints ESC [ %s %q", number, name)
	}
}

func (x *terminal) clearRight() {
	if x.x < len(x.lines[x.y]) {
		x.lines[x.y] = x.lines[x.y][:x.x]
	}
}

// screen is what can be read.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var text []string
	for _, line := range x.lines {
		text = append(text, strings.TrimRight(string(line), " "))
	}
	return strings.TrimRight(strings.Join(text, "\n"), "\n")
}

// resize makes the screen lower; what stood at the top is lost.
func (x *terminal) resize(height int) {
	x.t.Helper()
	x.mu.Lock()
	if lost := x.y + 1 - height; lost > 0 {
		x.lines, x.y = x.lines[lost:], x.y-lost
	}
	x.lines = slices.Grow(x.lines, height)[:height]
	x.height = height
	x.mu.Unlock()
	if err := pty.Setsize(x.file, &pty.Winsize{Rows: uint16(height), Cols: uint16(x.width)}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.file.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// wants waits until the screen is as it has to be.
func (x *terminal) wants(what string, isSo func(screen string) bool) {
	x.t.Helper()
	eventually(x.t, func() error {
		if screen := x.screen(); !isSo(screen) {
			return fmt.Errorf("it is not so that %s:\n%s", what, screen)
		}
		return nil
	})
}

// ends waits until the last lines of the screen are these.
func (x *terminal) ends(lines ...string) {
	x.t.Helper()
	want := strings.Join(lines, "\n")
	x.wants(fmt.Sprintf("the screen ends with\n%s\nbut", want), func(screen string) bool { return strings.HasSuffix("\n"+screen, "\n"+want) })
}

func (x *terminal) has(text string) {
	x.t.Helper()
	x.wants("there is "+text, func(screen string) bool { return strings.Contains(screen, text) })
}
