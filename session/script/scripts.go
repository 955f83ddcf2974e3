package script

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about the scripts that the server knows.",
		Group:   "scripting", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> SCRIPT\n-ERR wrong number of arguments for 'script' command\n> SCRIPT NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try SCRIPT HELP.\n",
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT|LOAD", Syntax: "script", Arity: 3, Complexity: "O(N), where N is the length of the script",
		Summary: "Makes a script known without running it, and tells its SHA-1.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript | command.Stale,
		Examples: "> SCRIPT LOAD \"return 1\"\n\"e0e1f9fabfc9d4800c877a703b823ac0578ff8db\"\n" +
			"> SCRIPT LOAD \"#!python\\nreturn 1\"\n-ERR Unexpected engine in script shebang: #!python\n",
	},
	Run: func(h here, a *command.Args) resp.Reply {
		b, mistake := h.learn(a.Bytes(), true)
		if mistake.IsError() {
			return mistake
		}
		return resp.BulkString(b.sha)
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT|EXISTS", Syntax: "sha1 [sha1 ...]", Arity: -3, Complexity: "O(N), where N is the number of scripts asked for",
		Summary: "Tells which scripts the server knows.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> SCRIPT LOAD \"return 1\"\n\"e0e1f9fabfc9d4800c877a703b823ac0578ff8db\"\n" +
			"> SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db nonsense\n[:1, :0]\n" +
			"> SCRIPT EXISTS\n-ERR wrong number of arguments for 'script|exists' command\n",
	},
	Run: func(h here, a *command.Args) resp.Reply {
		var found []resp.Reply
		for _, sha := range a.Rest() {
			found = append(found, resp.Flag(h.known(sha) != nil))
		}
		return resp.Array(found...)
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT|FLUSH", Syntax: "[ASYNC | SYNC]", Arity: -2, Complexity: "O(N), where N is the number of scripts",
		Summary: "Forgets all scripts.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> SCRIPT FLUSH\n+OK\n> SCRIPT FLUSH LATER\n-ERR SCRIPT FLUSH only support SYNC|ASYNC option\n",
	},
	Run: func(h here, a *command.Args) resp.Reply {
		if a.Len() > 0 && (a.Len() > 1 || !a.Option("SYNC") && !a.Option("ASYNC")) {
			return resp.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option")
		}
		h.forget()
		return resp.OK
	},
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT|KILL", Arity: 2, Complexity: "O(1)",
		Summary: "Ends the script that is running, unless it has written something.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript | command.AllowBusy,
		Examples: "> SCRIPT KILL\n-NOTBUSY No scripts in execution right now.\n",
	},
	Run: func(h here, _ *command.Args) resp.Reply { return h.kill(false) },
})

var _ = Tells.Add(command.Spec[here]{
	Meta: command.Meta{
		Name: "SCRIPT|DEBUG", Syntax: "<YES | SYNC | NO>", Arity: 3, Complexity: "O(1)",
		Summary: "Turns the debugging of scripts off, where it always is.",
		Group:   "scripting", Since: "0.1.0", Flags: command.NoScript,
		Examples: "> SCRIPT DEBUG NO\n+OK\n> SCRIPT DEBUG MAYBE\n-ERR Use SCRIPT DEBUG YES/SYNC/NO\n",
	},
	Run: func(_ here, a *command.Args) resp.Reply {
		switch {
		case a.Option("NO"):
			return resp.OK
		case a.Option("YES"), a.Option("SYNC"):
			return resp.Error("ERR there is no debugger of scripts")
		}
		return resp.Error("ERR Use SCRIPT DEBUG YES/SYNC/NO")
	},
})
