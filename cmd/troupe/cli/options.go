package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Options say what to do, and with which server. Their names and letters are those
// of redis-cli wherever it has them.
type Options struct {
	Host   string `short:"h" default:"127.0.0.1" help:"The server's host."`
	Port   int    `short:"p" default:"7379" help:"The server's port."`
	Socket string `short:"s" help:"The server's unix socket, in place of host and port."`
	URI    string `short:"u" placeholder:"URI" help:"redis://user:password@host:port/db, rediss:// over TLS."`

	Password string `short:"a" name:"pass" aliases:"password" help:"The password; better given in the environment, as TROUPECLI_AUTH or REDISCLI_AUTH."`
	User     string `help:"The user; without it the default one."`
	Ask      bool   `name:"askpass" help:"Ask for the password."`
	NoWarn   bool   `name:"no-auth-warning" help:"Say nothing about a password on the command line."`
	DB       int    `short:"n" help:"The database."`

	TLS      bool   `name:"tls" help:"Speak over TLS."`
	CA       string `name:"cacert" type:"path" placeholder:"FILE" help:"Whom to trust, in place of those whom the system trusts."`
	Cert     string `type:"path" placeholder:"FILE" help:"The client's certificate."`
	Key      string `type:"path" placeholder:"FILE" help:"Its key."`
	SNI      string `name:"sni" placeholder:"HOST" help:"The server's name."`
	Insecure bool   `help:"Trust any certificate."`

	RESP2 bool `short:"2" name:"resp2" help:"Speak RESP2."`
	RESP3 bool `short:"3" name:"resp3" help:"Speak RESP3. It is spoken anyway, if the server does, except for --raw and --csv, whose form follows RESP2's."`

	Raw   bool `help:"Print the text of replies alone; the default where the output is no terminal."`
	NoRaw bool `name:"no-raw" help:"Print replies with types and quotes even where the output is no terminal."`
	CSV   bool `name:"csv" help:"Print replies as CSV."`
	JSON  bool `name:"json" help:"Print replies as JSON, one a line."`

	Between string `short:"d" default:"\\n" placeholder:"TEXT" help:"What stands between the elements of a raw reply."`
	After   string `short:"D" default:"\\n" placeholder:"TEXT" help:"What stands after a raw reply."`

	Repeat   int     `short:"r" default:"1" help:"Run the command so often; -1: without end."`
	Interval float64 `short:"i" placeholder:"SECONDS" help:"Wait so long between two runs."`
	LastIn   bool    `short:"x" help:"Read the last argument from standard input."`
	TagIn    string  `short:"X" placeholder:"TAG" help:"Read the argument TAG from standard input."`
	Fail     bool    `short:"e" help:"End with exit code 1 if a command is answered by an error."`
	Quoted   bool    `name:"quoted-input" help:"Arguments are quoted as in the prompt."`

	Scan    bool   `help:"Print the keys of the database."`
	Pattern string `default:"*" help:"Those that --scan prints."`

	Pipe        bool   `help:"Send the protocol or the lines of standard input to the server as they are, and count the replies."`
	PipeTimeout int    `default:"30" placeholder:"SECONDS" help:"How long --pipe waits for a reply when all is sent; 0: for ever."`
	Eval        string `type:"path" placeholder:"FILE" help:"Run the script of a file: keys, a comma, arguments."`
	History     string `type:"path" placeholder:"FILE" help:"Where lines typed are kept, in place of the user's state directory; without those that hold passwords. TROUPECLI_HISTFILE does the same. /dev/null: nowhere."`

	Words []string `arg:"" optional:"" name:"command" passthrough:"partial" help:"What to run. Without it there is a prompt, or the lines of standard input are run."`
}

// Help is shown below the summary.
func (*Options) Help() string {
	return "A command that reads is watched by NAME.WATCH or OBSERVE: on a terminal its result is kept up to date in place until Ctrl-C; elsewhere each state is a line. " +
		"Exit code: 0, 1 if there is no link to the server, 2 if the command line makes no sense."
}

// usage is a mistake on the command line.
type usage struct{ error }

// settle completes the options by the environment and the URI, and says what is wrong with them.
func (o *Options) settle(environ func(string) string) error {
	if o.Password == "" && !o.Ask {
		for _, name := range []string{"TROUPECLI_AUTH", "REDISCLI_AUTH"} {
			if o.Password = environ(name); o.Password != "" {
				o.NoWarn = true
				break
			}
		}
	}
	if o.URI != "" {
		if err := o.readURI(); err != nil {
			return usage{err}
		}
	}
	forms := 0
	for _, set := range []bool{o.Raw, o.NoRaw, o.CSV, o.JSON} {
		if set {
			forms++
		}
	}
	switch {
	case forms > 1:
		return usage{errors.New("--raw, --no-raw, --csv and --json exclude each other")}
	case o.RESP2 && o.RESP3:
		return usage{errors.New("-2 and -3 exclude each other")}
	case o.DB < 0:
		return usage{errors.New("-n takes a number from 0")}
	case o.Interval < 0:
		return usage{errors.New("-i takes a number of seconds from 0")}
	}
	o.Between, o.After = unescaped(o.Between), unescaped(o.After)
	if o.Quoted {
		return o.unquoteWords()
	}
	return nil
}

// unescaped decodes a delimiter: \n and the like.
func unescaped(s string) string {
	if text, err := strconv.Unquote(`"` + strings.ReplaceAll(s, `"`, `\"`) + `"`); err == nil {
		return text
	}
	return s
}

func (o *Options) unquoteWords() error {
	for i, word := range o.Words {
		text, isOne := oneWord(word)
		if !isOne {
			return usage{fmt.Errorf("%s is not quoted well", word)}
		}
		o.Words[i] = text
	}
	return nil
}

func (o *Options) readURI() error {
	at, err := url.Parse(o.URI)
	if err != nil {
		return fmt.Errorf("-u: %w", err)
	}
	switch at.Scheme {
	case "redis":
	case "rediss":
		o.TLS = true
	default:
		return errors.New("-u takes redis://… or rediss://…")
	}
	if at.Hostname() != "" {
		o.Host = at.Hostname()
	}
	if at.Port() != "" {
		if o.Port, err = strconv.Atoi(at.Port()); err != nil {
			return fmt.Errorf("-u: %w", err)
		}
	}
	if at.User != nil {
		o.readUser(at.User)
	}
	if db := strings.Trim(at.Path, "/"); db != "" {
		if o.DB, err = strconv.Atoi(db); err != nil {
			return fmt.Errorf("-u: the database %q is no number", db)
		}
	}
	return nil
}

// readUser takes user and password; one word alone is the password, as in redis-cli.
func (o *Options) readUser(of *url.Userinfo) {
	password, both := of.Password()
	if !both {
		o.Password = of.Username()
		return
	}
	o.User, o.Password = of.Username(), password
}

// form is the form of replies; whether the output is a terminal decides where nothing else does.
func (o *Options) form(isTerminal bool) Form {
	switch {
	case o.JSON:
		return JSON
	case o.CSV:
		return CSV
	case o.Raw, !o.NoRaw && !isTerminal:
		return Raw
	}
	return Human
}

func (o *Options) pause() time.Duration { return time.Duration(o.Interval * float64(time.Second)) }

// secure is how TLS is spoken, nil without it.
func (o *Options) secure() (*tls.Config, error) {
	if !o.TLS {
		return nil, nil
	}
	config := &tls.Config{ServerName: o.SNI, InsecureSkipVerify: o.Insecure}
	if o.SNI == "" {
		config.ServerName = o.Host
	}
	if o.CA != "" {
		text, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s holds no certificate", o.CA)
		}
	}
	if o.Cert != "" || o.Key != "" {
		own, err := tls.LoadX509KeyPair(o.Cert, o.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{own}
	}
	return config, nil
}
