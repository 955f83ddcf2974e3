package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/troupedb/troupe/resp"
)

// trace is the numbers of the keys that are asked for, one after the other. How often the nth most wanted
// is asked for falls with a power of n (Zipf's law).
type trace []uint32

func makeTrace(keys, requests int, exponent float64, seed uint64) trace {
	rng := rand.New(rand.NewPCG(seed, uint64(keys)))
	sums, sum := make([]float64, keys), 0.0
	for i := range sums {
		sum += math.Pow(float64(i+1), -exponent)
		sums[i] = sum
	}
	all := make(trace, requests)
	for i := range all {
		rank, _ := slices.BinarySearch(sums, rng.Float64()*sum)
		all[i] = uint32(min(rank, keys-1))
	}
	return all
}

// write writes the trace to a file, four bytes a key, little-endian.
func (t trace) write(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	if err := binary.Write(out, binary.LittleEndian, []uint32(t)); err != nil {
		return err
	}
	return out.Flush()
}

// hits are what the second half of a trace has come to, as cachebench prints it.
type hits struct {
	Requests int `json:"requests"`
	Hits     int `json:"hits"`
	Refused  int `json:"refused"`
	held     int64
}

func (h hits) percent() float64 { return 100 * float64(h.Hits) / float64(max(h.Requests, 1)) }

// buildModule builds the program of a module in testdata.
func buildModule(ctx context.Context, dir, name string) (binary string, err error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	binary = dir + string(os.PathSeparator) + name
	line := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	line.Dir = root + "/testdata/" + name
	line.Stderr = os.Stderr
	if err := line.Run(); err != nil {
		return "", fmt.Errorf("building %s: %w", line.Dir, err)
	}
	return binary, nil
}

// askRistretto plays the trace of a file to ristretto, with room for so many keys.
func askRistretto(ctx context.Context, binary, file string, keys int) (h hits, err error) {
	line := exec.CommandContext(ctx, binary, "-keys", strconv.Itoa(keys), "-trace", file)
	line.Stderr = os.Stderr
	text, err := line.Output()
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return hits{}, fmt.Errorf("ristretto: %w", err)
	}
	return h, nil
}

// player plays a trace to a server.
type player struct {
	*link
	value string
	fits  int64 // keys
	each  int64 // bytes of a key, about
	limit int64
	hits  hits
}

// traceBatch is how many requests are on their way at a time.
const traceBatch = 64

// play plays a trace to a server that is started for it, with a limit by which about c.Keys fit.
func (c *cacheCmd) play(ctx context.Context, p program, policy string, all trace) (hits, error) {
	s, err := start(ctx, p)
	if err != nil {
		return hits{}, err
	}
	defer s.stop()
	l, err := dial(s.port, "")
	if err != nil {
		return hits{}, err
	}
	defer l.close()
	one := &player{link: l, value: strings.Repeat("v", c.Size), fits: int64(c.Keys)}
	if err := one.setLimit(policy); err != nil {
		return hits{}, err
	}
	begin := time.Now()
	for from := 0; from < len(all); from += traceBatch {
		time.Sleep(time.Until(begin.Add(time.Duration(from) * time.Second / time.Duration(c.Rate))))
		if part := from / traceBatch; part%500 == 499 {
			if err := one.adjust(); err != nil {
				return hits{}, err
			}
		}
		if from < len(all)/2 {
			one.hits = hits{}
		}
		if err := one.batch(all[from:min(from+traceBatch, len(all))]); err != nil {
			return hits{}, err
		}
	}
	one.hits.held, err = one.number("DBSIZE")
	return one.hits, err
}

// setLimit fills the server, and makes what it takes the limit of one that is empty.
func (p *player) setLimit(policy string) error {
	before, err := p.used()
	if err != nil {
		return err
	}
	err = p.load(int(p.fits), func(out []byte, i int) []byte { return appendCommand(out, "SET", keyName(uint32(i)), p.value) })
	if err != nil {
		return err
	}
	after, err := p.used()
	if err != nil {
		return err
	}
	p.each, p.limit = (after-before)/p.fits, after
	for _, words := range [][]string{
		{"FLUSHALL"}, {"CONFIG", "SET", "maxmemory-policy", policy}, {"CONFIG", "SET", "maxmemory", fmt.Sprint(p.limit)},
	} {
		if _, err := p.ask(words...); err != nil {
			return err
		}
	}
	return nil
}

// adjust moves the limit to where so many keys fit as should, if it is reached.
func (p *player) adjust() error {
	held, err := p.number("DBSIZE")
	if err != nil {
		return err
	}
	evicted, err := p.info("stats", "evicted_keys")
	if err != nil || evicted == 0 {
		return err
	}
	p.limit += (p.fits - held) * p.each / 2
	_, err = p.ask("CONFIG", "SET", "maxmemory", fmt.Sprint(p.limit))
	return err
}

func keyName(n uint32) string { return "key:" + strconv.FormatUint(uint64(n), 10) }

// batch asks for keys, and sets those that are missing; these are looked for again right after, in a way
// that does not count as a use.
func (p *player) batch(keys []uint32) error {
	for _, key := range keys {
		p.out = appendCommand(p.out, "GET", keyName(key))
	}
	if err := p.send(); err != nil {
		return err
	}
	var missing []uint32
	for _, key := range keys {
		reply, err := p.read()
		if err != nil {
			return err
		}
		p.hits.Requests++
		if reply.Kind() == resp.Null {
			missing = append(missing, key)
		} else {
			p.hits.Hits++
		}
	}
	for _, key := range missing {
		p.out = appendCommand(p.out, "SET", keyName(key), p.value)
		p.out = appendCommand(p.out, "EXISTS", keyName(key))
	}
	if len(missing) == 0 {
		return nil
	}
	if err := p.send(); err != nil {
		return err
	}
	for range missing {
		if _, err := p.read(); err != nil {
			return err
		}
		reply, err := p.read()
		if err != nil {
			return err
		}
		if reply.Int() == 0 {
			p.hits.Refused++
		}
	}
	return nil
}

func (p *player) number(words ...string) (int64, error) {
	reply, err := p.ask(words...)
	return reply.Int(), err
}

func (p *player) used() (int64, error) { return p.info("memory", "used_memory") }

// info is a number of INFO.
func (l *link) info(section, field string) (n int64, err error) {
	reply, err := l.ask("INFO", section)
	if err != nil {
		return 0, err
	}
	_, after, found := strings.Cut(reply.Str(), "\n"+field+":")
	if !found {
		return 0, fmt.Errorf("INFO %s tells no %s", section, field)
	}
	word, _, _ := strings.Cut(after, "\r")
	return strconv.ParseInt(word, 10, 64)
}
