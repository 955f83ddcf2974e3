package admin

import (
	"fmt"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = KeyspaceCommands.Add(command.Spec[View]{
	Meta: command.Meta{
		Name: "INFO", Syntax: "[section [section ...]]", Arity: -1, Complexity: "O(N), where N is the number of connections and commands",
		Summary: "Tells about the server, in sections: those named, or the usual ones (default), all of Redis's (all), or everything.",
		Group:   "server", Since: "0.1.0", Flags: anytime | command.AllShards | command.Random, Categories: []string{"dangerous"},
		Examples: "> SET k v\n+OK\n> INFO keyspace\n=txt:\"# Keyspace\\r\\ndb0:keys=1,expires=0,avg_ttl=0\\r\\n\"\n> INFO nonsense\n=txt:\"\"\n",
	},
	Run: info,
})

// section is a part of INFO's answer.
type section struct {
	name  string // as asked for
	title string
	sets  set
	write func(*report)
	there func(*report) bool // nil: always
}

// set says which words ask for a section beside its name.
type set uint8

const (
	inDefault set = 1 << iota
	inAll
	usual = inDefault | inAll
)

// sections are all of them, in Redis's order.
var sections = []section{
	{"server", "Server", usual, (*report).server, nil},
	{"clients", "Clients", usual, (*report).clients, nil},
	{"memory", "Memory", usual, (*report).memoryUse, nil},
	{"persistence", "Persistence", usual, (*report).persistence, nil},
	{"tier", "Tier", usual, (*report).tier, func(r *report) bool { return r.system.Tier != nil }},
	{"stats", "Stats", usual, (*report).stats, nil},
	{"replication", "Replication", usual, (*report).replication, nil},
	{"cpu", "CPU", usual, (*report).processor, nil},
	{"modules", "Modules", inDefault, func(*report) {}, nil},
	{"commandstats", "Commandstats", inAll, (*report).commandStats, nil},
	{"errorstats", "Errorstats", usual, (*report).errorStats, nil},
	{"latencystats", "Latencystats", inAll, (*report).latencyStats, nil},
	{"cluster", "Cluster", usual, (*report).cluster, nil},
	{"keyspace", "Keyspace", usual, (*report).keyspace, nil},
}

// fields are the lines of a section.
type fields struct{ text []byte }

// Add adds a line.
func (f *fields) Add(name string, value any) { f.text = fmt.Appendf(f.text, "%s:%v\r\n", name, value) }

// Fixed adds a line with a number of so many decimals.
func (f *fields) Fixed(name string, value float64, decimals int) {
	f.text = fmt.Appendf(f.text, "%s:%.*f\r\n", name, decimals, value)
}

// Bytes adds a line with a number of bytes, and one that people can read.
func (f *fields) Bytes(name string, n int64) {
	f.Add(name, n)
	f.Add(name+"_human", humanBytes(n))
}

// report is one answer of INFO being written.
type report struct {
	View
	fields
}

func info(v View, a *command.Args) resp.Reply {
	wanted := readSections(a)
	r := &report{View: v}
	for i := range sections {
		if s := &sections[i]; !wanted(s) || s.there != nil && !s.there(r) {
			continue
		}
		if len(r.text) > 0 {
			r.text = append(r.text, "\r\n"...)
		}
		r.section(&sections[i])
	}
	return resp.VerbatimText("txt", string(r.text))
}

func (r *report) section(s *section) {
	r.text = append(append(append(r.text, "# "...), s.title...), "\r\n"...)
	s.write(r)
}

// readSections reads which sections are asked for.
func readSections(a *command.Args) (wanted func(*section) bool) {
	sets, everything := set(0), false
	names := map[string]bool{}
	if a.Len() == 0 {
		sets = inDefault
	}
	for a.More() {
		switch word := strings.ToLower(string(a.Bytes())); word {
		case "default":
			sets |= inDefault
		case "all":
			sets |= inAll
		case "everything":
			everything = true
		default:
			names[word] = true
		}
	}
	return func(s *section) bool { return everything || s.sets&sets != 0 || names[s.name] }
}

// humanBytes is a number of bytes with two decimals and a unit.
func humanBytes(n int64) string {
	units := []string{"K", "M", "G", "T", "P"}
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	size, unit := float64(n)/1024, 0
	for size >= 1024 && unit+1 < len(units) {
		size, unit = size/1024, unit+1
	}
	return fmt.Sprintf("%.2f%s", size, units[unit])
}
