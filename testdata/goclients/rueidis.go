package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"
)

// rueidisProtocol is a way to speak: RESP3 with a cache at the client, or RESP2.
type rueidisProtocol struct {
	name string
	resp int
}

// rueidisSteps are taken in both protocols; those about the cache in RESP3.
func rueidisSteps() []step {
	// This one empties the database, so it comes first.
	all := []step{{"RESP3 cache of many", rueidisCacheMany}}
	for _, p := range []rueidisProtocol{{"RESP2", 2}, {"RESP3", 3}} {
		add := func(name string, run func(context.Context, rueidis.Client, rueidisProtocol) any) {
			all = append(all, step{p.name + " " + name, func(ctx context.Context, addr string) any {
				c := p.connect(addr, rueidis.ClientOption{})
				defer c.Close()
				return run(ctx, c, p)
			}})
		}
		add("collections", rueidisCollections)
		add("pipelines", rueidisPipelines)
		add("dedicated", rueidisDedicated)
		add("blocking", rueidisBlocking)
		add("scripts", rueidisScripts)
		add("streams", rueidisStreams)
		add("messages", rueidisMessages)
	}
	return append(all, step{"RESP3 cache", rueidisCache}, step{"RESP3 broadcast", rueidisBroadcast})
}

func (p rueidisProtocol) connect(addr string, o rueidis.ClientOption) rueidis.Client {
	o.InitAddress, o.AlwaysRESP2, o.DisableCache = []string{addr}, p.resp == 2, p.resp == 2
	o.PipelineMultiplex = -1 // one link, so that an answer follows the invalidations before it
	return must(rueidis.NewClient(o))
}

// key is a name of this protocol's own.
func (p rueidisProtocol) key(name string) string {
	return "rueidis" + strconv.Itoa(p.resp) + ":" + name
}

// command is one of any words, the first of them after the name is a key.
func command(c rueidis.Client, words ...string) rueidis.Completed {
	return c.B().Arbitrary(words[0]).Keys(words[1]).Args(words[2:]...).Build()
}

// tell is a reply as plain values.
func tell(r rueidis.RedisResult) any {
	v, err := r.ToAny()
	if err != nil {
		return "error: " + err.Error()
	}
	return plain(v)
}

// plain gives what JSON lacks a form that it has: errors and infinities in a reply.
func plain(v any) any {
	switch v := v.(type) {
	case float64:
		if math.IsInf(v, 0) {
			return fmt.Sprint(v)
		}
	case error:
		return "error: " + v.Error()
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plain(v[k])
		}
	}
	return v
}

func rueidisCollections(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	h, z, l, s, n := p.key("h"), p.key("z"), p.key("l"), p.key("s"), p.key("n")
	var said []any
	for _, words := range [][]string{
		{"HSET", h, "a", "1", "b", "two"}, {"HGETALL", h}, {"HINCRBYFLOAT", h, "a", "0.5"}, {"HMGET", h, "a", "none"},
		{"ZADD", z, "1.5", "ann", "inf", "bob", "-2", "cid"}, {"ZRANK", z, "bob"}, {"ZINCRBY", z, "10", "cid"}, {"ZPOPMAX", z}, {"ZMSCORE", z, "cid", "none"},
		{"RPUSH", l, "1", "2", "3"}, {"LRANGE", l, "0", "-1"}, {"LPOS", l, "3"}, {"SADD", s, "x"}, {"SMEMBERS", s}, {"SISMEMBER", s, "y"},
		{"SET", n, "1", "EX", "1000"}, {"SET", n, "2", "NX"}, {"GETEX", n, "PERSIST"}, {"TTL", n}, {"INCR", h}, {"GET", p.key("none")},
		{"OBJECT", "ENCODING", n},
	} {
		said = append(said, tell(c.Do(ctx, command(c, words...))))
	}
	scored := must(c.Do(ctx, c.B().Zrange().Key(z).Min("0").Max("-1").Withscores().Build()).AsZScores())
	fields := must(c.Do(ctx, c.B().Hgetall().Key(h).Build()).AsStrMap())
	_, missing := c.Do(ctx, c.B().Get().Key(p.key("none")).Build()).ToString()
	return append(said, scored, fields, rueidis.IsRedisNil(missing))
}

// What many goroutines ask at once goes in few packets.
func rueidisPipelines(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	var all sync.WaitGroup
	for range 500 {
		all.Go(func() { check(c.Do(ctx, c.B().Incr().Key(p.key("count")).Build()).Error()) })
	}
	all.Wait()
	var many rueidis.Commands
	for i := range 300 {
		many = append(many, c.B().Append().Key(p.key("text")).Value(strconv.Itoa(i%10)).Build())
	}
	many = append(many, c.B().Incr().Key(p.key("text")).Build(), c.B().Strlen().Key(p.key("text")).Build())
	replies := c.DoMulti(ctx, many...)
	var streamed bytes.Buffer
	check(c.Do(ctx, c.B().Set().Key(p.key("large")).Value(strings.Repeat("x", 1<<20)).Build()).Error())
	stream := c.DoStream(ctx, c.B().Get().Key(p.key("large")).Build())
	n := must(stream.WriteTo(&streamed))
	return []any{
		tell(c.Do(ctx, c.B().Get().Key(p.key("count")).Build())), len(replies), tell(replies[299]), tell(replies[300]), tell(replies[301]),
		n, strings.Count(streamed.String(), "x"),
	}
}

// A link of one's own: a transaction under an optimistic lock, which holds or does not.
func rueidisDedicated(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	key := p.key("watched")
	transact := func(between func()) any {
		var replies []rueidis.RedisResult
		check(c.Dedicated(func(d rueidis.DedicatedClient) error {
			check(d.Do(ctx, d.B().Watch().Key(key).Build()).Error())
			between()
			replies = d.DoMulti(ctx, d.B().Multi().Build(), d.B().Incr().Key(key).Build(), d.B().Incr().Key(key).Build(), d.B().Exec().Build())
			return nil
		}))
		return tell(replies[3])
	}
	held := transact(func() {})
	broken := transact(func() { check(c.Do(ctx, c.B().Set().Key(key).Value("10").Build()).Error()) })
	return []any{held, broken, tell(c.Do(ctx, c.B().Get().Key(key).Build()))}
}

func rueidisBlocking(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	taken := make(chan string)
	for range 4 {
		go func() { taken <- fmt.Sprint(tell(c.Do(ctx, c.B().Blpop().Key(p.key("jobs")).Timeout(0).Build()))) }()
	}
	for i := range 4 {
		check(c.Do(ctx, c.B().Rpush().Key(p.key("jobs")).Element(strconv.Itoa(i)).Build()).Error())
	}
	all := []string{<-taken, <-taken, <-taken, <-taken}
	slices.Sort(all)
	return append([]any{all}, tell(c.Do(ctx, c.B().Blpop().Key(p.key("jobs")).Timeout(0.02).Build())))
}

func rueidisScripts(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	script := rueidis.NewLuaScript("return {redis.call('INCRBY', KEYS[1], ARGV[1]), {ARGV[2], false}, redis.status_reply('FINE')}")
	readOnly := rueidis.NewLuaScriptReadOnly("return redis.call('GET', KEYS[1])")
	key := p.key("script")
	said := []any{
		tell(script.Exec(ctx, c, []string{key}, []string{"5", "x"})), tell(script.Exec(ctx, c, []string{key}, []string{"6", ""})),
		tell(readOnly.Exec(ctx, c, []string{key}, nil)),
	}
	for _, r := range script.ExecMulti(ctx, c, rueidis.LuaExec{Keys: []string{key}, Args: []string{"1", "a"}}, rueidis.LuaExec{Keys: []string{p.key("script2")}, Args: []string{"2", "b"}}) {
		said = append(said, tell(r))
	}
	return said
}

func rueidisStreams(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	key := p.key("stream")
	var said []any
	for _, words := range [][]string{
		{"XADD", key, "1-0", "n", "1"}, {"XADD", key, "2-0", "n", "2"}, {"XADD", key, "1-5", "n", "3"}, {"XADD", key, "3-0", "n", "3"}, {"XLEN", key},
	} {
		said = append(said, tell(c.Do(ctx, command(c, words...))))
	}
	check(c.Do(ctx, c.B().XgroupCreate().Key(key).Group("g").Id("0").Build()).Error())
	read := must(c.Do(ctx, c.B().Xreadgroup().Group("g", "one").Count(2).Streams().Key(key).Id(">").Build()).AsXRead())
	said = append(said, read, tell(c.Do(ctx, c.B().Xack().Key(key).Group("g").Id("1-0").Build())),
		tell(c.Do(ctx, c.B().Xpending().Key(key).Group("g").Build())), tell(c.Do(ctx, c.B().Xautoclaim().Key(key).Group("g").Consumer("two").MinIdleTime("0").Start("0").Build())))
	entries := must(c.Do(ctx, c.B().Xrange().Key(key).Start("-").End("+").Build()).AsXRange())
	return append(said, entries, tell(c.Do(ctx, c.B().XinfoGroups().Key(key).Build())))
}

func rueidisMessages(ctx context.Context, c rueidis.Client, p rueidisProtocol) any {
	heard, listening := make(chan string, 100), make(chan struct{}, 2)
	listenCtx, stop := context.WithCancel(rueidis.WithOnSubscriptionHook(ctx, func(s rueidis.PubSubSubscription) {
		if s.Kind == "subscribe" || s.Kind == "psubscribe" {
			listening <- struct{}{}
		}
	}))
	ended := make(chan error)
	listen := func(command rueidis.Completed) {
		ended <- c.Receive(listenCtx, command, func(m rueidis.PubSubMessage) { heard <- m.Pattern + "|" + m.Channel + "|" + m.Message })
	}
	go listen(c.B().Subscribe().Channel(p.key("news"), p.key("more")).Build())
	<-listening
	<-listening
	go listen(c.B().Psubscribe().Pattern(p.key("n?ws")).Build())
	<-listening
	said := []any{tell(c.Do(ctx, c.B().Publish().Channel(p.key("news")).Message("1").Build()))}
	twice := []string{<-heard, <-heard} // the two may have links of their own
	slices.Sort(twice)
	said = append(said, twice, tell(c.Do(ctx, c.B().Publish().Channel(p.key("more")).Message("2").Build())), <-heard)
	stop()
	return append(said, (<-ended).Error(), (<-ended).Error())
}

// A cache at the client: what it holds goes when somebody changes it.
func rueidisCache(ctx context.Context, addr string) any {
	p := rueidisProtocol{"RESP3", 3}
	c, writer := p.connect(addr, rueidis.ClientOption{}), p.connect(addr, rueidis.ClientOption{})
	defer c.Close()
	defer writer.Close()
	key := p.key("cached")
	var said []string
	look := func() {
		r := c.DoCache(ctx, c.B().Hgetall().Key(key).Cache(), time.Minute)
		said = append(said, fmt.Sprint(must(r.AsStrMap()), r.IsCacheHit()))
	}
	look()
	look()
	for _, words := range [][]string{{"HSET", key, "a", "1"}, {"HINCRBY", key, "a", "5"}, {"EXPIRE", key, "1000"}, {"HGET", key, "a"}, {"DEL", key}, {"HSET", key, "b", "2"}} {
		check(writer.Do(ctx, command(writer, words...)).Error())
		check(c.Do(ctx, c.B().Ping().Build()).Error())
		look()
		look()
	}
	check(c.Do(ctx, c.B().Hset().Key(key).FieldValue().FieldValue("own", "3").Build()).Error())
	check(c.Do(ctx, c.B().Ping().Build()).Error())
	look()
	check(writer.Do(ctx, writer.B().Pexpire().Key(key).Milliseconds(30).Build()).Error())
	until(func() bool {
		return len(must(c.DoCache(ctx, c.B().Hgetall().Key(key).Cache(), time.Minute).AsStrMap())) == 0
	})
	return said
}

func rueidisCacheMany(ctx context.Context, addr string) any {
	p := rueidisProtocol{"RESP3", 3}
	c, writer := p.connect(addr, rueidis.ClientOption{}), p.connect(addr, rueidis.ClientOption{})
	defer c.Close()
	defer writer.Close()
	var keys []string
	for i := range 20 {
		keys = append(keys, p.key("many:"+strconv.Itoa(i)))
		check(writer.Do(ctx, writer.B().Set().Key(keys[i]).Value(strconv.Itoa(i)).Build()).Error())
	}
	hits := func() (n int) {
		var cached []rueidis.CacheableTTL
		for _, key := range keys {
			cached = append(cached, rueidis.CT(c.B().Get().Key(key).Cache(), time.Minute))
		}
		for _, r := range c.DoMultiCache(ctx, cached...) {
			check(r.Error())
			if r.IsCacheHit() {
				n++
			}
		}
		return n
	}
	said := []any{hits(), hits()}
	check(rueidis.MSet(writer, ctx, map[string]string{keys[3]: "x", keys[4]: "y"})[keys[3]])
	check(c.Do(ctx, c.B().Ping().Build()).Error())
	said = append(said, hits(), hits())
	got := must(rueidis.MGetCache(c, ctx, time.Minute, keys[:5]))
	var values []any
	for _, key := range keys[:5] {
		m := got[key]
		values = append(values, must(m.ToString()))
	}
	check(writer.Do(ctx, writer.B().Flushdb().Build()).Error())
	check(c.Do(ctx, c.B().Ping().Build()).Error())
	lost := 0
	for _, r := range must(rueidis.MGetCache(c, ctx, time.Minute, keys)) {
		if r.IsNil() {
			lost++
		}
	}
	return append(said, values, lost)
}

// A client told of every change of names that begin so.
func rueidisBroadcast(ctx context.Context, addr string) any {
	p := rueidisProtocol{"RESP3", 3}
	told := make(chan string, 100)
	c := p.connect(addr, rueidis.ClientOption{
		ClientTrackingOptions: []string{"BCAST", "PREFIX", "broadcast:a", "PREFIX", "broadcast:b"},
		OnInvalidations: func(keys []rueidis.RedisMessage) {
			for _, k := range keys {
				told <- must(k.ToString())
			}
		},
	})
	defer c.Close()
	writer := p.connect(addr, rueidis.ClientOption{})
	defer writer.Close()
	check(c.Do(ctx, c.B().Ping().Build()).Error())
	var said []string
	for _, name := range []string{"broadcast:a1", "broadcast:c1", "elsewhere", "broadcast:b1", "broadcast:a1"} {
		check(writer.Do(ctx, writer.B().Append().Key(name).Value("x").Build()).Error())
		if strings.HasPrefix(name, "broadcast:a") || strings.HasPrefix(name, "broadcast:b") {
			said = append(said, <-told)
		}
	}
	return append(said, fmt.Sprint(len(told)))
}
