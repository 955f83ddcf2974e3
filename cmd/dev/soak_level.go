package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// level is what a server takes while nobody asks for anything.
type level struct {
	goroutines     int
	heap, resident int64 // bytes; the heap's are Go's, after a collection
}

// soakPatience is how long what a client has left behind may take to go.
const soakPatience = 20 * time.Second

// level measures, once all that the clients had is gone.
func (t *soakTest) level() (now level, err error) {
	for end := time.Now().Add(soakPatience); ; time.Sleep(100 * time.Millisecond) {
		if now, err = t.look(); err != nil {
			return now, err
		}
		if len(t.levels) == 0 || now.goroutines <= t.levels[0].goroutines+goroutinesSlack {
			break
		}
		if time.Now().After(end) {
			return now, fmt.Errorf("%d goroutines are left when all have gone, %d were at first", now.goroutines, t.levels[0].goroutines)
		}
	}
	now.resident, err = settledBytes(t.victim.cmd.Process.Pid)
	return now, err
}

// goroutinesSlack is for what may be under way by itself: a snapshot, a rewrite.
const goroutinesSlack = 6

var (
	goroutineTotal = regexp.MustCompile(`^goroutine profile: total (\d+)`)
	heapAlloc      = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)
)

func (t *soakTest) look() (now level, err error) {
	heap := int64(0)
	for range 3 { // what pools keep outlives two collections
		if heap, err = t.profile("heap?gc=1&debug=1", heapAlloc); err != nil {
			return now, err
		}
	}
	goroutines, err := t.profile("goroutine?debug=1", goroutineTotal)
	return level{goroutines: int(goroutines), heap: heap}, err
}

// profile asks for one of Go's profiles and takes a number out of it.
func (t *soakTest) profile(what string, number *regexp.Regexp) (int64, error) {
	client := http.Client{Timeout: soakPatience, Transport: &http.Transport{DisableKeepAlives: true}}
	reply, err := client.Get("http://" + t.http + "/debug/pprof/" + what)
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err
	}
	found := number.FindSubmatch(text)
	if found == nil {
		return 0, fmt.Errorf("%s is answered %s: %.100q", what, reply.Status, text)
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}

// flat holds that the last third of a life takes no more than the first. What is at
// hand at the end of a round varies, so a life of a few rounds is only held to not
// taking very much more.
func flat(levels []level) error {
	const few, heapSlack, residentSlack = 9, 16 << 20, 32 << 20
	slack := int64(1)
	if len(levels) < few {
		slack = 6
	}
	third := (len(levels) + 2) / 3
	if len(levels) < 2 {
		return nil
	}
	first, last := highest(levels[:third]), highest(levels[len(levels)-third:])
	f := func(what string, before, after, slack int64) error {
		if after > before+before/4+slack {
			return fmt.Errorf("%s grows: at most %d KB at rest in the first third of the life, %d KB in the last", what, before>>10, after>>10)
		}
		return nil
	}
	if err := f("the heap", first.heap, last.heap, slack*heapSlack); err != nil {
		return err
	}
	return f("the resident set", first.resident, last.resident, slack*residentSlack)
}

func highest(levels []level) (most level) {
	for _, one := range levels {
		most.heap, most.resident = max(most.heap, one.heap), max(most.resident, one.resident)
	}
	return most
}
