package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// residentMB is a line of the process's status: VmRSS, its memory, or VmHWM,
// the most that it was since it was forgotten.
func (s *started) residentMB(name string) int {
	s.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), name+":")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		s.t.Fatal(err)
	}
	return kilobytes >> 10
}

// forgetPeak makes the present memory the most that it was.
func (s *started) forgetPeak() {
	s.t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
		s.t.Skipf("the peak of a process's memory cannot be set back here: %v", err)
	}
}

// A large value takes little more than twice its size while it is on its way,
// in and out, and once its size when it has come, soon and unasked.
func TestMemoryOfLargeValues(t *testing.T) {
	t.Parallel()
	const valueMB, littleMB = 128, 16
	for _, how := range [][2]string{{"loops", "no"}, {"goroutines", "no"}, {"loops", "yes"}} {
		t.Run(how[0]+"/journal="+how[1], func(t *testing.T) {
			t.Parallel()
			s := start(t, nil, "--port", freePort(t), "--bind", "127.0.0.1", "--transport", how[0], "--appendonly", how[1])
			c := s.dial()
			c.ask("PING")
			idle := s.residentMB("VmRSS")
			f := func(what string, do func()) {
				t.Helper()
				s.forgetPeak()
				do()
				if peak := s.residentMB("VmHWM") - idle; peak > 2*valueMB+littleMB {
					t.Errorf("%s: %d MB at the most, for a value of %d MB", what, peak, valueMB)
				}
				eventually(t, func() error {
					if now := s.residentMB("VmRSS") - idle; now > valueMB+littleMB {
						return fmt.Errorf("%s: %d MB are kept for a value of %d MB", what, now, valueMB)
					}
					return nil
				})
			}
			value := bytes.Repeat([]byte("v"), valueMB<<20)
			set := func() {
				fmt.Fprintf(c.conn, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n", len(value))
				c.conn.Write(value)
				c.conn.Write([]byte("\r\n"))
				if reply, err := c.in.ReadString('\n'); reply != "+OK\r\n" {
					t.Errorf("SET is answered with %q, %v", reply, err)
				}
			}
			f("SET", set)
			f("SET again", set)
			f("GET", func() {
				if reply := c.ask("GET", "k"); reply != fmt.Sprintf("$%d", len(value)) {
					t.Errorf("GET is answered with %q", reply)
				}
				io.CopyN(io.Discard, c.in, int64(len(value)+2))
			})
			s.stop()
		})
	}
}

// Clients that announce much and send nothing take no memory.
func TestMemoryOfEmptyPromises(t *testing.T) {
	t.Parallel()
	const clients = 300
	s := start(t, nil, "--port", freePort(t), "--bind", "127.0.0.1", "--appendonly", "no")
	last := s.dial()
	last.ask("PING")
	idle := s.residentMB("VmRSS")
	for range clients {
		conn, err := net.Dial("tcp", s.addresses[0])
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000000\r\n")
		io.Copy(conn, bytes.NewReader(make([]byte, 20_000)))
	}
	eventually(t, func() error {
		length, err := strconv.Atoi(strings.TrimPrefix(last.ask("INFO", "stats"), "$"))
		if err != nil {
			t.Fatal(err)
		}
		info := make([]byte, length+2)
		if _, err := io.ReadFull(last.in, info); err != nil {
			t.Fatal(err)
		}
		read := 0
		_, after, _ := strings.Cut(string(info), "total_net_input_bytes:")
		if fmt.Sscan(after, &read); read < clients*20_000 {
			return fmt.Errorf("%d bytes were read", read)
		}
		return nil
	})
	if took := s.residentMB("VmRSS") - idle; took > clients/4 { // 256 KB each
		t.Errorf("%d MB for %d clients who have sent 20 KB each", took, clients)
	}
	s.stop()
}
