package main

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// What redis-server has in place of a live query: a notification of the key's change, and the query by each who
// hears it.

// question is what everybody wants to know the newest answer of.
type question struct {
	name  string
	key   string
	words []string
	least []bar
	fill  func(*server) error
	// write changes the answer as fast as it goes.
	write func(*watchCmd, *server, time.Duration) (writes int, err error)
}

// questions are of one hot key, and of the top of a leaderboard.
func questions() []question {
	writeHot := func(c *watchCmd, s *server, lasting time.Duration) (int, error) {
		var seq int64
		return c.writeHot(s, &seq, lasting)
	}
	return []question{
		{"nearest", hotKey, []string{"GET", hotKey}, []bar{{"ratio", true, 5}}, func(*server) error { return nil }, writeHot},
		{"nearest, top hundred", boardKey, []string{"ZRANGE", boardKey, "0", strconv.Itoa(boardRange - 1), "WITHSCORES"}, nil,
			fillBoard, (*watchCmd).moveMembers},
	}
}

// nearest compares live queries with asking again.
func (c *watchCmd) nearest(ctx context.Context, p program) ([]watchFigure, error) {
	redis, err := redisProgram()
	if err != nil {
		return nil, err
	}
	var f figures
	for range c.Rounds {
		for _, q := range questions() {
			var ours, theirs float64
			err := withServer(ctx, p, func(s *server) (err error) { ours, err = c.watchedPerCPU(s, q); return err })
			if err != nil {
				return f.rows, err
			}
			err = withServer(ctx, redis, func(s *server) (err error) { theirs, err = c.notifiedPerCPU(s, q); return err })
			if err != nil {
				return f.rows, err
			}
			f.add(q.name+": updates delivered for a second of CPU", "", ours)
			f.add(q.name+": the same of redis-server, notified and asked", "", theirs)
			f.add(q.name+": ratio", "×", ours/theirs, q.least...)
		}
	}
	return f.rows, nil
}

func (c *watchCmd) watchedPerCPU(s *server, q question) (float64, error) {
	if err := q.fill(s); err != nil {
		return 0, err
	}
	a, err := s.open(c.Links, func(int) [][]string { return [][]string{append([]string{"OBSERVE"}, q.words...)} })
	if err != nil {
		return 0, err
	}
	defer a.close()
	a.decode = skipFrame
	a.listen()
	return c.deliveredPerCPU(s, q, &a.frames, a.err)
}

// deliveredPerCPU writes, and counts what is delivered meanwhile.
func (c *watchCmd) deliveredPerCPU(s *server, q question, delivered *atomic.Int64, failed func() error) (float64, error) {
	cost, before := s.meter(), delivered.Load()
	_, err := q.write(c, s, c.lasting())
	told := float64(delivered.Load() - before)
	micros, wrong := cost()
	return told / (micros / 1e6), errors.Join(err, wrong, failed())
}

func (c *watchCmd) notifiedPerCPU(s *server, q question) (float64, error) {
	if err := q.fill(s); err != nil {
		return 0, err
	}
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	if _, err := l.ask("CONFIG", "SET", "notify-keyspace-events", "K$z"); err != nil {
		return 0, err
	}
	n := &notified{question: q}
	defer n.close()
	for range c.Links {
		if err := n.join(s); err != nil {
			return 0, err
		}
	}
	return c.deliveredPerCPU(s, q, &n.updates, func() error { return nil })
}

// notified is clients of redis-server that hear of each change of the key, and then ask.
type notified struct {
	question question
	links    []*link
	readers  sync.WaitGroup
	updates  atomic.Int64
}

// join adds a client, of two links.
func (n *notified) join(s *server) error {
	var pair [2]*link
	for i := range pair {
		l, err := dial(s.port, "")
		if err != nil {
			return err
		}
		pair[i] = l
		n.links = append(n.links, l)
	}
	if _, err := pair[0].ask("SUBSCRIBE", "__keyspace@0__:"+n.question.key); err != nil {
		return err
	}
	n.readers.Go(func() { n.listen(pair[0], pair[1]) })
	return nil
}

// listen asks for the key once for all notifications that have come, as a client that conflates does.
func (n *notified) listen(news, asks *link) {
	buf := make([]byte, readBytes)
	for {
		if _, err := news.conn.Read(buf); err != nil {
			return
		}
		if _, err := asks.ask(n.question.words...); err != nil {
			return
		}
		n.updates.Add(1)
	}
}

func (n *notified) close() {
	dropAll(n.links)
	n.readers.Wait()
}
