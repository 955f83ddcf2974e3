package main_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Abuse: what somebody does who means harm, to the program itself, beside a
// neighbour who is to be served all the while, with the memory of the process
// bounded. The tests are sized for a small machine; with TROUPE_ABUSE=whole
// (go run ./cmd/dev abuse) they are as large as their comments say.

// sized is how much of something there is: the whole, or what a test takes.
func sized(whole, part int) int {
	if os.Getenv("TROUPE_ABUSE") == "whole" {
		return whole
	}
	return part
}

// abused is the program, and what it takes when nobody asks for anything.
type abused struct {
	*started
	idle int // MB
}

func startAbused(t *testing.T, args ...string) *abused {
	t.Helper()
	all := append([]string{"server", "--port", freePort(t), "--bind", "127.0.0.1", "--appendonly", "no", "--dir", t.TempDir()}, args...)
	s := &abused{started: start(t, nil, all...)}
	s.settle()
	return s
}

// settle notes what the program takes now.
func (s *abused) settle() {
	s.t.Helper()
	s.idle = s.residentMB("VmRSS")
	s.forgetPeak()
}

// patient is dial for a link that lives longer than a test's patience.
func (s *abused) patient() *client {
	s.t.Helper()
	c := s.dial()
	c.conn.SetDeadline(time.Time{})
	return c
}

// beside has something done while a neighbour writes and reads. Each of his
// commands must be answered, and the program may take so many MB more at the most.
func (s *abused) beside(mostMB int, abuse func()) {
	s.t.Helper()
	var done atomic.Bool
	began, ended := make(chan struct{}), make(chan []time.Duration)
	go s.neighbour(&done, began, ended)
	<-began
	abuse()
	done.Store(true)
	took := <-ended
	slices.Sort(took)
	s.t.Logf("the neighbour was answered %d times; median %v, p99 %v, at most %v; the program took %d MB more at the most",
		len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1], s.residentMB("VmHWM")-s.idle)
	s.wantMemory(mostMB)
}

// wantMemory bounds how much more the program has taken at any time.
func (s *abused) wantMemory(mostMB int) {
	s.t.Helper()
	if peak := s.residentMB("VmHWM") - s.idle; peak > mostMB {
		s.t.Errorf("it has taken %d MB more, which may be %d", peak, mostMB)
	}
}

func (s *abused) neighbour(done *atomic.Bool, began chan<- struct{}, ended chan<- []time.Duration) {
	conn, err := net.Dial("tcp", s.addresses[0])
	if err != nil {
		s.t.Error(err)
		close(began)
		ended <- []time.Duration{0}
		return
	}
	defer conn.Close()
	c := &client{s.t, conn, bufio.NewReader(conn)}
	var took []time.Duration
	for i := 0; i < 2 || !done.Load(); i++ {
		start, value := time.Now(), strconv.Itoa(i)
		conn.SetDeadline(start.Add(patience))
		if err := c.exchange("SET neighbour "+value+"\r\nGET neighbour\r\n", fmt.Sprintf("+OK\r\n$%d\r\n%s\r\n", len(value), value)); err != nil {
			s.t.Errorf("the neighbour's command %d: %v", i, err)
			break
		}
		if took = append(took, time.Since(start)); i == 0 {
			close(began)
		}
	}
	if len(took) == 0 {
		close(began)
		took = append(took, 0)
	}
	ended <- took
}

// exchange sends bytes and compares those that come.
func (c *client) exchange(request, want string) error {
	if _, err := c.conn.Write([]byte(request)); err != nil {
		return err
	}
	got := make([]byte, len(want))
	for n := 0; n < len(got); {
		m, err := c.in.Read(got[n:])
		if err != nil {
			return fmt.Errorf("after %q: %w", got[:n], err)
		}
		n += m
	}
	if string(got) != want {
		return fmt.Errorf("%q is answered %q, want %q", request, got, want)
	}
	return nil
}

// counter is a number of INFO.
func (c *client) counter(name string) int {
	c.t.Helper()
	for line := range strings.Lines(c.bulk("INFO", "everything")) {
		if text, found := strings.CutPrefix(line, name+":"); found {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				c.t.Fatal(err)
			}
			return n
		}
	}
	c.t.Fatalf("INFO has no %s", name)
	return 0
}

// want asks and compares the first line of the reply.
func (c *client) want(reply string, words ...string) {
	c.t.Helper()
	if got := c.ask(words...); got != reply {
		c.t.Errorf("%.200q is answered %.200s, want %s", words, got, reply)
	}
}

// ended reports whether the link ends, whatever comes before.
func (c *client) ended() bool {
	c.conn.SetReadDeadline(time.Now().Add(patience))
	for buf := make([]byte, 4096); ; {
		if _, err := c.in.Read(buf); err != nil {
			late, ok := err.(net.Error)
			return !ok || !late.Timeout()
		}
	}
}

// linksPossible is how many links a test may hold at once, of those that it wants.
func linksPossible(t *testing.T, wanted int) int {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if most := int(limit.Cur) - 200; most < wanted {
		t.Logf("a process may have %d descriptors here: %d links instead of %d", limit.Cur, most, wanted)
		return most
	}
	return wanted
}
