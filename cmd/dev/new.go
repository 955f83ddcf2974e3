package main

import (
	"errors"
	"fmt"
	"go/format"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// newCmd writes the one file in which a command is added. What it writes compiles and has the shape of
// the family's other commands; its summary is empty, and a command without one does not let the server
// start, so that no skeleton is forgotten.
type newCmd struct {
	Name   string `arg:"" help:"The command's name: ZADD, or OBJECT|ENCODING for a subcommand."`
	Family string `arg:"" help:"The folder in keyspace that it belongs to: str, hash, zset …"`
	Since  string `help:"The version that has it first." default:"0.1.0"`
}

// Run writes the file and says where.
func (c *newCmd) Run() error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	path, err := c.write(root)
	if err != nil {
		return err
	}
	fmt.Printf("%s: declare it, run it, and write down what it answers:\n  go run ./cmd/dev tidy\n  go test ./keyspace/%s ./cmd/troupe\n",
		relative(root, path), c.Family)
	return nil
}

var commandName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*(\|[A-Z][A-Z0-9_-]*)?$`)

// write makes the file in the module at root. It replaces none.
func (c *newCmd) write(root string) (path string, err error) {
	name := strings.ToUpper(c.Name)
	if !commandName.MatchString(name) {
		return "", fmt.Errorf("%q is no command name", c.Name)
	}
	dir := filepath.Join(root, "keyspace", c.Family)
	if !declaresCommands(dir) {
		return "", fmt.Errorf("keyspace/%s is no family of commands: it declares no table named Commands", c.Family)
	}
	text, err := c.skeleton(name, groupOf(dir, c.Family))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, strings.ToLower(words.Replace(name))+".go")
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is there already", relative(root, path))
	}
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return path, errors.Join(err, file.Close())
}

// words makes one word of a name that may have parts.
var words = strings.NewReplacer("|", "_", "-", "_")

// declaresCommands tells whether a folder holds a family's table.
func declaresCommands(dir string) bool {
	return searchFiles(dir, regexp.MustCompile(`(?m)^(var )?\s*(Commands) +command\.Table\[`)) != ""
}

// groupOf is the group that the family's other commands name, else the family's own name.
func groupOf(dir, family string) string {
	if group := searchFiles(dir, regexp.MustCompile(`Group: +"([^"]+)"`)); group != "" {
		return group
	}
	return family
}

// searchFiles gives the first group of the first match in a folder's Go files.
func searchFiles(dir string, what *regexp.Regexp) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if match := what.FindSubmatch(text); match != nil {
			return string(match[len(match)-1])
		}
	}
	return ""
}

func (c *newCmd) skeleton(name, group string) ([]byte, error) {
	var out strings.Builder
	err := skeleton.Execute(&out, map[string]any{
		"Family": c.Family, "Name": name, "Spoken": strings.ReplaceAll(name, "|", " "), "Lower": strings.ToLower(name),
		"Group": group, "Since": c.Since, "Func": handlerName(name), "Arity": 2 + strings.Count(name, "|"),
	})
	if err != nil {
		return nil, err
	}
	return format.Source([]byte(out.String()))
}

// handlerName is the command's name in lower case, its later words capitalised; Go's own words get another.
func handlerName(name string) string {
	parts := strings.Split(strings.ToLower(words.Replace(name)), "_")
	for i, part := range parts[1:] {
		parts[i+1] = strings.ToUpper(part[:1]) + part[1:]
	}
	joined := strings.Join(parts, "")
	if token.IsKeyword(joined) {
		joined += "Command"
	}
	return joined
}

var skeleton = template.Must(template.New("command").Parse(`package {{.Family}}

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "{{.Name}}", Syntax: "key", Arity: {{.Arity}}, Complexity: "O(1)",
		Summary: "",
		Group: "{{.Group}}", Since: "{{.Since}}", Flags: command.ReadOnly | command.Fast,
		Keys: command.OneKey(command.RO | command.Access),
		Examples: "> {{.Spoken}} nokey\n_\n> {{.Spoken}}\n-ERR wrong number of arguments for '{{.Lower}}' command\n",
	},
	Run: {{.Func}},
})

func {{.Func}}(tx *keyspace.Tx, a *command.Args) resp.Reply {
	key := a.Key()
	if a.Bad() {
		return a.Err()
	}
	v := tx.Lookup(key)
	if v.Missing() {
		return resp.Nil
	}
	return resp.ErrWrongType
}
`))
