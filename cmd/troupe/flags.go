package main

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/troupedb/troupe/actors/config"
)

// settingFlag is the flag of one setting, as given. Its words are checked when
// all settings are put together.
type settingFlag struct {
	uses [][]string
}

// Decode takes the words after the flag, as redis-server does: all up to the
// next flag where the setting may have several, else one. A yes-or-no setting
// without a word is yes.
func (f *settingFlag) Decode(ctx *kong.DecodeContext) error {
	setting := config.Named(ctx.Value.Name)
	var words []string
	switch {
	case setting.IsMany():
		for !startsFlag(ctx.Scan.Peek()) {
			words = append(words, ctx.Scan.Pop().String())
		}
	case setting.Kind != config.Bool || isYesOrNo(ctx.Scan.Peek()):
		if ctx.Scan.Peek().IsEOL() {
			return fmt.Errorf("a value is missing")
		}
		words = []string{ctx.Scan.Pop().String()}
	default:
		words = []string{"yes"}
	}
	f.uses = append(f.uses, words)
	return nil
}

func startsFlag(token kong.Token) bool {
	return token.IsEOL() || token.Type == kong.UntypedToken && strings.HasPrefix(token.String(), "--")
}

func isYesOrNo(token kong.Token) bool {
	if token.IsEOL() {
		return false
	}
	switch strings.ToLower(token.String()) {
	case "yes", "no":
		return true
	}
	return token.Type == kong.FlagValueToken // --flag=value: say what is wrong with it
}

// settingFlags is a pointer to a structure with a flag for each setting.
func settingFlags() any {
	var fields []reflect.StructField
	add := func(s *config.Setting, name string, hidden bool) {
		tag := fmt.Sprintf(`name:%q help:%q group:%q placeholder:%q`, name, describe(s), s.Group, placeholder(s))
		if hidden {
			tag += ` hidden:""`
		}
		if name == "port" {
			tag += ` short:"p"`
		}
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprintf("Setting%d", len(fields)), Type: reflect.TypeFor[settingFlag](), Tag: reflect.StructTag(tag),
		})
	}
	for _, setting := range byGroup() {
		add(setting, setting.Name, setting.Role == config.Ignored || setting.Hidden)
		if setting.Alias != "" {
			add(setting, setting.Alias, true)
		}
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// byGroup is the table in the order of help.
func byGroup() []*config.Setting {
	rows := slices.Clone(config.Table)
	slices.SortStableFunc(rows, func(a, b *config.Setting) int {
		return cmp.Compare(slices.Index(config.Groups, a.Group), slices.Index(config.Groups, b.Group))
	})
	return rows
}

// given are the settings of the command line, in the table's order.
func given(flags any) []config.Flag {
	var all []config.Flag
	v := reflect.ValueOf(flags).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("name")
		for _, words := range v.Field(i).Addr().Interface().(*settingFlag).uses {
			all = append(all, config.Flag{Name: name, Words: words})
		}
	}
	return all
}

// describe is a flag's help: what it does, its default, its variable.
func describe(s *config.Setting) string {
	text := s.Help
	var facts []string
	if s.Role == config.Reserved && s.Allowed == nil {
		facts = append(facts, "not supported yet")
	}
	if s.Default != "" {
		facts = append(facts, "default "+s.Written(s.Default))
	}
	if variable := s.Variable(); variable != "" {
		facts = append(facts, "$"+variable)
	}
	if facts != nil {
		text += " (" + strings.Join(facts, ", ") + ")"
	}
	return text
}

// choicesShown is the most choices that stand for a value in help.
const choicesShown = 4

// placeholder is what stands for the value in help.
func placeholder(s *config.Setting) string {
	switch s.Kind {
	case config.Bool:
		return "yes|no"
	case config.Int, config.Octal:
		return "N"
	case config.Memory, config.Share:
		return "BYTES"
	case config.Enum:
		if len(s.Values) > choicesShown {
			return "NAME"
		}
		return strings.Join(s.Values, "|")
	}
	if s.IsMany() {
		return "WORD ..."
	}
	return "TEXT"
}
