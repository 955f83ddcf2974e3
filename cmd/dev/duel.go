package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/actors/admin"
	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp/draw"
)

// duelCmd asks Troupe and redis-server the same, at random and for as long as one likes: two clients, four
// databases, transactions and watches, pipelines that are cut anywhere. The first reply that differs ends
// it, and the conversation that led there is made as short as it can be.
type duelCmd struct {
	Seed      uint64        `help:"Begins the random stream; 0 draws one." default:"0"`
	For       time.Duration `help:"How long." default:"1m"`
	Shards    int           `help:"The number of shards; 0 draws it for each round." default:"0"`
	Transport string        `help:"How links are served; drawn for each round if empty." enum:"loops,goroutines," default:""`
	Skip      []string      `help:"Commands that are not drawn."`
	Turns     int           `help:"The turns of a round, after which the data are compared and the servers emptied." default:"3000"`
	Shrink    time.Duration `help:"How long to look for a shorter conversation." default:"30s"`
}

// Run asks until the time is up.
func (c *duelCmd) Run(ctx context.Context) error {
	program, err := redisProgram()
	if err != nil {
		return err
	}
	redis, err := start(ctx, program)
	if err != nil {
		return err
	}
	defer redis.stop()
	if c.Seed == 0 {
		c.Seed = rand.Uint64()
	}
	fmt.Printf("duel --seed %d --turns %d\n", c.Seed, c.Turns)
	begin := time.Now()
	asked := 0
	for round := uint64(0); time.Since(begin) < c.For && ctx.Err() == nil; round++ {
		n, err := c.round(c.Seed+round, &side{dial: dialTCP(net.JoinHostPort("127.0.0.1", strconv.Itoa(redis.port)))})
		if err != nil {
			return fmt.Errorf("duel --seed %d: %w", c.Seed+round, err)
		}
		asked += n
	}
	fmt.Printf("%d commands were answered alike in %v\n", asked, time.Since(begin).Round(time.Second))
	return nil
}

// round plays one conversation to a fresh server of ours and an emptied redis-server.
func (c *duelCmd) round(seed uint64, redis *side) (asked int, err error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	shards, transport := c.Shards, c.Transport
	if drawn := []int{1, 2, 3, 16}[rng.IntN(4)]; shards == 0 {
		shards = drawn
	}
	if drawn := []string{"loops", "goroutines"}[rng.IntN(2)]; transport == "" {
		transport = drawn
	}
	system, err := startOurs(shards, transport)
	if err != nil {
		return 0, err
	}
	defer system.Close()
	d := &duel{ours: &side{dial: dialTCP(system.Addresses()[0])}, theirs: redis}
	turns := drawTurns(draw.Source{Rand: rng, Skip: c.Skip}, c.Turns)
	for _, turn := range turns {
		asked += len(turn.commands)
	}
	first, err := d.play(turns)
	if err != nil || first == nil {
		return asked, err
	}
	fmt.Printf("with %d shards and %s, turn %d of %d:\n%s", shards, transport, first.turn+1, len(turns), first)
	return asked, d.shrink(turns[:first.turn+1], c.Shrink)
}

// startOurs starts a server in this process.
func startOurs(shards int, transport string) (*actors.System, error) {
	loaded, err := config.Load(config.Sources{Flags: []config.Flag{
		{Name: "shards", Words: []string{strconv.Itoa(shards)}},
		{Name: "transport", Words: []string{transport}},
		{Name: "bind", Words: []string{"127.0.0.1"}},
		{Name: "enable-debug-command", Words: []string{"yes"}},
	}})
	if err != nil {
		return nil, err
	}
	options := loaded.Options(hclog.NewNullLogger())
	admin.New(loaded).Join(&options)
	options.Port = 0 // a free one
	options.Dir = "" // it keeps nothing
	return actors.Start(options)
}

// turn is what one client says at once.
type turn struct {
	client   int
	fresh    bool // over a new link, in the protocol
	proto    int
	commands [][]string
	cuts     []int // the lengths of the pieces in which it is sent; the last one takes the rest
}

const duelClients = 2

func drawTurns(w draw.Source, n int) []turn {
	turns := make([]turn, n)
	for i := range turns {
		t := &turns[i]
		t.client = w.Rand.IntN(duelClients)
		t.fresh, t.proto = i < duelClients || w.OneIn(60), 2+w.Rand.IntN(2)
		if i < duelClients {
			t.client = i
		}
		for range w.Times([]int{1, 1, 3, 20}[w.Rand.IntN(4)]) {
			t.commands = append(t.commands, w.Alike())
		}
		for range w.Rand.IntN(3) {
			t.cuts = append(t.cuts, 1+w.Rand.IntN(60))
		}
	}
	return turns
}

// String shows a turn as lines of a transcript.
func (t *turn) String() string {
	var b strings.Builder
	if t.fresh {
		fmt.Fprintf(&b, "# client %d comes anew, in RESP%d\n", t.client+1, t.proto)
	}
	for _, argv := range t.commands {
		fmt.Fprintf(&b, "%d>%s\n", t.client+1, quoteWords(argv))
	}
	return b.String()
}

func quoteWords(argv []string) string {
	var b strings.Builder
	for _, word := range argv {
		if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+.*{}_") == "" {
			b.WriteString(" " + word)
		} else {
			b.WriteString(" " + strconv.Quote(word))
		}
	}
	return b.String()
}

// side is one of the two servers.
type side struct {
	dial  func() (net.Conn, error)
	links [duelClients]*link
}

func dialTCP(addr string) func() (net.Conn, error) {
	return func() (net.Conn, error) { return net.DialTimeout("tcp", addr, replyPatience) }
}

func (s *side) reopen(client, proto int) error {
	if s.links[client] != nil {
		s.links[client].close()
		s.links[client] = nil
	}
	conn, err := s.dial()
	if err != nil {
		return err
	}
	s.links[client] = &link{conn: conn}
	_, err = s.links[client].ask("HELLO", strconv.Itoa(proto))
	return err
}

func (s *side) closeAll() {
	for i, l := range s.links {
		if l != nil {
			l.close()
			s.links[i] = nil
		}
	}
}

// askAlone asks on a link of its own.
func (s *side) askAlone(argv ...string) (string, error) {
	conn, err := s.dial()
	if err != nil {
		return "", err
	}
	l := &link{conn: conn}
	defer l.close()
	reply, err := l.ask(argv...)
	return reply.Str(), err
}
