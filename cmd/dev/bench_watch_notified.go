package main

import (
	"sync"
	"sync/atomic"
)

// notified is clients of redis-server that hear of each change of the hot key, and then ask for it.
type notified struct {
	links   []*link
	readers sync.WaitGroup
	updates atomic.Int64
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
	if _, err := pair[0].ask("SUBSCRIBE", "__keyspace@0__:"+hotKey); err != nil {
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
		if _, err := asks.ask("GET", hotKey); err != nil {
			return
		}
		n.updates.Add(1)
	}
}

func (n *notified) close() {
	dropAll(n.links)
	n.readers.Wait()
}
