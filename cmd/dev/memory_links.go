package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"
)

// spareFiles is how many descriptors a process of a contest needs beside its links.
const spareFiles = 100

// idleBefore is how long links have been idle when they are weighed: redis-server takes their buffers back
// after two seconds.
const idleBefore = 4 * time.Second

// measureLinks opens connections, each of which asks one PING and then rests, and reads the memory.
// It opens fewer than asked for where the limit of open files is lower, on either side, and says so.
func (c *memoryCmd) measureLinks(s *server, f *memoryFigures) error {
	s.admit(c.Links)
	want, err := s.linksPossible(c.Links)
	if err != nil {
		return err
	}
	return s.withLoad(func(_ *link, before int64) error {
		links, err := s.openLinks(want)
		defer dropAll(links)
		if len(links) < want {
			fmt.Fprintf(os.Stderr, "%s took %d of %d links: %v\n", s.name, len(links), want, err)
		}
		if len(links) == 0 {
			return errors.New("no link was taken")
		}
		time.Sleep(idleBefore)
		after, err := settledBytes(s.pid)
		f.Links, f.Link = len(links), float64(after-before)/float64(len(links))
		return err
	})
}

// admit asks the server to take that many links, from any loopback address. A server that cannot be
// asked shows its limits later.
func (s *server) admit(links int) {
	l, err := dial(s.port, "")
	if err != nil {
		return
	}
	defer l.close()
	_, _ = l.ask("CONFIG", "SET", "protected-mode", "no")
	for _, most := range []int{links + spareFiles, links - 2*spareFiles} { // the second where open files are few
		if _, err := l.ask("CONFIG", "SET", "maxclients", strconv.Itoa(most)); err == nil {
			return
		}
	}
}

// linksPossible is the number of links that the open files of both sides allow.
func (s *server) linksPossible(want int) (int, error) {
	for _, pid := range []int{os.Getpid(), s.pid} {
		files, err := openFilesMax(pid)
		if err != nil {
			return 0, err
		}
		if files-3*spareFiles < want {
			want = files - 3*spareFiles
			fmt.Fprintf(os.Stderr, "open files are limited to %d: opening %d links\n", files, want)
		}
	}
	return want, nil
}

// addressesMax bounds the loopback addresses that links come from, each with some 28,000 ports.
const addressesMax = 8

// openLinks opens up to want links and gives those that were answered. When one address has no port left
// to come from, it goes on from the next; the first is left to the system, which finds a port much faster
// when it knows the other end.
func (s *server) openLinks(want int) ([]*link, error) {
	links := make([]*link, 0, want)
	from, address := "", 1
	for len(links) < want {
		l, err := dial(s.port, from)
		if err != nil && address < addressesMax {
			address++
			from = "127.0.0." + strconv.Itoa(address)
			continue
		}
		if err != nil {
			return links, err
		}
		if err := l.greet(); err != nil {
			l.close()
			return links, err
		}
		links = append(links, l)
	}
	return links, nil
}

// dropAll closes links by a reset, which leaves no port waiting for stragglers.
func dropAll(links []*link) {
	for _, l := range links {
		if tcp, isTCP := l.conn.(*net.TCPConn); isTCP {
			_ = tcp.SetLinger(0)
		}
		l.close()
	}
}

// greet asks PING without the buffer that read would keep.
func (l *link) greet() error {
	const pong = "+PONG\r\n"
	l.out = appendCommand(l.out, "PING")
	if err := l.send(); err != nil {
		return err
	}
	l.out = nil
	answer := make([]byte, len(pong))
	if _, err := io.ReadFull(l.conn, answer); err != nil {
		return err
	}
	if string(answer) != pong {
		return fmt.Errorf("PING was answered %q", answer)
	}
	return nil
}
