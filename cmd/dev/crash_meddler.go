package main

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// meddler has snapshots written, changes the policy and asks for versions, while
// others write.
type meddler struct {
	rng     *rand.Rand
	mixed   bool
	strict  []span // when appendfsync was always for certain
	version uint64 // the highest that was shown
	epoch   uint64
	err     error
}

// work meddles until the link breaks or stop is closed.
func (m *meddler) work(v *victim, stop <-chan struct{}) {
	l, err := v.dial()
	if err != nil {
		return
	}
	defer l.close()
	for err == nil {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(m.rng.IntN(25)) * time.Millisecond):
		}
		err = m.meddle(l)
	}
	var refusal errorReply
	if errors.As(err, &refusal) {
		m.err = err
	}
}

func (m *meddler) meddle(l *link) (err error) {
	switch m.rng.IntN(8) {
	case 0, 1:
		_, err = l.ask("BGREWRITEAOF")
		return harmless(err)
	case 2:
		_, err = l.ask("BGSAVE", "SCHEDULE")
		return harmless(err)
	case 3:
		_, err = l.ask("SAVE")
		return harmless(err)
	case 4:
		if m.mixed {
			return m.change(l, []string{"always", "always", "everysec", "no"}[m.rng.IntN(4)])
		}
	}
	return m.look(l)
}

// harmless forgets the error of a snapshot while another one is written.
func harmless(err error) error {
	var refusal errorReply
	if errors.As(err, &refusal) && strings.Contains(string(refusal), "already in progress") {
		return nil
	}
	return err
}

// change changes the policy and notes since when that is certain.
func (m *meddler) change(l *link, policy string) error {
	if n := len(m.strict); n > 0 && m.strict[n-1].to.IsZero() {
		m.strict[n-1].to = time.Now()
	}
	_, err := l.ask("CONFIG", "SET", "appendfsync", policy)
	if err == nil && policy == "always" {
		m.strict = append(m.strict, span{from: time.Now()})
	}
	return err
}

// look notes the version that INFO shows.
func (m *meddler) look(l *link) error {
	version, epoch, err := readVersion(l)
	m.version, m.epoch = max(m.version, version), max(m.epoch, epoch)
	return err
}

// readVersion asks for the newest version, and the epoch.
func readVersion(l *link) (version, epoch uint64, err error) {
	reply, err := l.ask("INFO", "persistence")
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(reply.Str()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, _ := strconv.ParseUint(value, 10, 64)
		switch name {
		case "version":
			version = n
		case "epoch":
			epoch = n
		}
	}
	if version == 0 || epoch == 0 {
		err = errors.New("INFO persistence shows no version and no epoch")
	}
	return version, epoch, err
}
