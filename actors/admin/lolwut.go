package admin

import (
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LOLWUT", Syntax: "[VERSION version]", Arity: -1, Complexity: "O(1)",
		Summary: "Raises the curtain, and tells the version.",
		Group:   "server", Since: "0.1.0", Flags: command.ReadOnly | command.Fast,
		Examples: "> LOLWUT\n*\n> LOLWUT VERSION one\n-ERR value is not an integer or out of range\n",
	},
	Run: lolwut,
})

// lolwut draws a troupe taking its bow. The version says how many bow; it has
// no other meaning, as there is one picture so far.
func lolwut(_ Call, a *command.Args) resp.Reply {
	bowing := int64(castSize)
	if a.OptionWith("VERSION", 1) {
		bowing = a.Int()
		if a.Bad() {
			return a.Err()
		}
	}
	return resp.VerbatimText("txt", drawStage(int(min(max(bowing, 1), castMax)))+
		"The troupe takes its bow. Troupe ver. "+session.Version+" (Redis ver. "+session.RedisVersion+")\n")
}

// The number of actors on the stage: the usual, and as many as fit.
const (
	castSize = 5
	castMax  = 12
)

// figure is one actor, a row a line; the first stands, the second bows.
var figures = [2][]string{
	{"  o  ", ` /|\ `, ` / \ `},
	{"     ", ` __o `, ` ||  `},
}

// drawStage draws a curtain with so many actors, every second of them bowing.
func drawStage(actors int) string {
	width := actors * len(figures[0][0])
	var b strings.Builder
	b.WriteString("+" + strings.Repeat("-", width+4) + "+\n")
	folds := "|" + strings.Repeat(")(", (width+4)/2) + strings.Repeat(")", (width+4)%2) + "|\n"
	b.WriteString(folds + folds + "|)" + strings.Repeat(" ", width+2) + "(|\n")
	for row := range figures[0] {
		b.WriteString("|) ")
		for i := range actors {
			b.WriteString(figures[i%2][row])
		}
		b.WriteString(" (|\n")
	}
	b.WriteString("+" + strings.Repeat("=", width+4) + "+\n")
	return b.String()
}
