package config

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are where settings come from. Flags go before the environment, that
// before the file, and that before the defaults.
type Sources struct {
	// File is a path, "-" for Stdin, "" for none.
	File  string
	Stdin io.Reader
	// Environ is in the form of os.Environ.
	Environ []string
	Flags   []Flag
	// Sockets are those that are open already, so that no others are opened in
	// their place.
	Sockets Sockets
	// Capacity, if set, is maxmemory before all others; the policy is allkeys-lru
	// then, unless one is given.
	Capacity string
}

// Flag is a setting given on the command line.
type Flag struct {
	Name  string
	Words []string
}

// Mistake is a setting that cannot be taken.
type Mistake struct {
	// Where is "file:line", the flag or the variable.
	Where string
	// Name is the setting's, "" if none could be read.
	Name   string
	Reason string
}

func (m *Mistake) Error() string {
	if m.Name == "" {
		return m.Where + ": " + m.Reason
	}
	return m.Where + ": " + m.Name + ": " + m.Reason
}

// Load puts the settings together. The error is a *Mistake, or one of reading
// a file.
func Load(from Sources) (*Config, error) {
	l := &loader{config: newConfig()}
	l.config.sockets = from.Sockets
	for _, source := range []func(Sources) error{l.readFile, l.readEnviron, l.readFlags} {
		l.seen = map[*Setting]bool{}
		if err := source(from); err != nil {
			return nil, err
		}
		l.hasPolicy = l.hasPolicy || l.seen[Named("maxmemory-policy")]
	}
	if err := l.readCapacity(from.Capacity); err != nil {
		return nil, err
	}
	l.warn()
	if err := l.config.check(); err != nil {
		return nil, err
	}
	l.config.lowerClients()
	return l.config, nil
}

// loader gives settings their values, one assignment after the other.
type loader struct {
	config *Config
	// seen are the settings that the present source has given.
	seen map[*Setting]bool
	// hasPolicy says that some source has given maxmemory-policy.
	hasPolicy bool
	without   []string // names of settings that do nothing here
	notes     []string
	depth     int // of includes
	// assigned, if set, hears of each setting and of the file and line it
	// stands at, the first being 0.
	assigned func(row *Setting, file string, line int)
}

// assign gives a setting its words. Where says where they stand.
func (l *loader) assign(where, name string, words []string) error {
	row := Named(name)
	if row == nil {
		return &Mistake{where, "", fmt.Sprintf("unknown setting %q", name)}
	}
	fail := func(reason string) error { return &Mistake{where, row.Name, reason} }
	words, ok := row.unpack(words)
	if !ok {
		return fail("unbalanced quotes")
	}
	before := l.config.values[row.index]
	if row.adds() && !l.seen[row] {
		before = ""
	}
	value, err := row.read(words, before)
	if err != nil {
		return fail(err.Error())
	}
	if why := row.unmet(value); why != "" {
		return fail(refusal(row, value, why))
	}
	l.seen[row] = true
	l.config.values[row.index] = value
	if row.Role == Ignored {
		l.doesNothing(row)
	}
	return nil
}

// refusal is why a value is not taken.
func refusal(row *Setting, value, why string) string {
	if row.Secret || row.Kind == Directive {
		return "not supported yet: " + why
	}
	return fmt.Sprintf("%q is not supported yet: %s", value, why)
}

func (l *loader) doesNothing(row *Setting) {
	if !slices.Contains(l.without, row.Name) {
		l.without = append(l.without, row.Name)
	}
}

// warn collects what is to be told.
func (l *loader) warn() {
	if len(l.without) > 0 {
		l.notes = append(l.notes, "these settings have no effect: "+strings.Join(l.without, " "))
	}
	if l.config.Int("io-threads") > 1 {
		l.notes = append(l.notes, "io-threads has no effect, event-loops is what sets the number of threads for clients")
	}
	l.config.warnings = l.notes
}

// readFlags reads the command line.
func (l *loader) readFlags(from Sources) error {
	for _, flag := range from.Flags {
		where := "--" + flag.Name
		if flag.Name == "include" && len(flag.Words) == 1 {
			if err := l.include(where, ".", flag.Words[0]); err != nil {
				return err
			}
			continue
		}
		if err := l.assign(where, flag.Name, flag.Words); err != nil {
			return err
		}
	}
	return nil
}

// readCapacity reads what the server is to be a cache of.
func (l *loader) readCapacity(capacity string) error {
	if capacity == "" {
		return nil
	}
	if err := l.assign("-c", "maxmemory", []string{capacity}); err != nil || l.hasPolicy {
		return err
	}
	return l.assign("-c", "maxmemory-policy", []string{"allkeys-lru"})
}

// readEnviron reads the environment.
func (l *loader) readEnviron(from Sources) error {
	var unknown []string
	for _, entry := range from.Environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, VariablePrefix) || isServiceLink(name, value) {
			continue
		}
		row := variables[name]
		if row == nil {
			unknown = append(unknown, name)
			continue
		}
		if err := l.assign(name, row.Name, row.split(value)); err != nil {
			return err
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		l.notes = append(l.notes, "these environment variables name no setting: "+strings.Join(unknown, " "))
	}
	return nil
}

// isServiceLink tells the variables that Kubernetes and Docker set for a
// service called troupe, which would be taken for ours: TROUPE_PORT is
// "tcp://…" then.
func isServiceLink(name, value string) bool {
	rest := strings.TrimPrefix(name, VariablePrefix)
	return strings.HasPrefix(rest, "SERVICE_") || strings.HasPrefix(rest, "PORT_") ||
		rest == "PORT" && strings.Contains(value, "://")
}

// variables finds a row by its variable.
var variables = func() map[string]*Setting {
	byVariable := map[string]*Setting{}
	for _, row := range Table {
		if name := row.Variable(); name != "" {
			byVariable[name] = row
		}
	}
	return byVariable
}()

// check looks at the settings together.
func (c *Config) check() error {
	if c.Text("user") != "" && c.Text("aclfile") != "" {
		return &Mistake{"settings", "aclfile", "users are given by user lines or by an aclfile, not by both"}
	}
	if c.Bool("single-threaded") {
		for _, name := range []string{"event-loops", "shards"} {
			if c.Int(name) > 1 {
				return &Mistake{"settings", name, "single-threaded has one, not " + c.Text(name)}
			}
		}
	}
	to := c.endpoints()
	if len(to.Binds)+len(to.TLSBinds) == 0 && to.Unix == "" && c.sockets == (Sockets{}) {
		return &Mistake{"settings", "port", "no port to bind and no unixsocket: nobody could connect"}
	}
	if to.Port != 0 && to.Port == to.TLSPort {
		return &Mistake{"settings", "tls-port", "it is the port without TLS too"}
	}
	return nil
}

// readFile reads the file that is named.
func (l *loader) readFile(from Sources) error {
	switch from.File {
	case "":
		return nil
	case "-":
		return l.readLines(from.Stdin, "standard input", ".")
	}
	path, err := filepath.Abs(from.File)
	if err != nil {
		return fmt.Errorf("finding the settings: %w", err)
	}
	l.config.file = path
	return l.open(path)
}
