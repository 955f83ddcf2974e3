package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

const noModules = "ERR Troupe has no modules: what they add is built in, or not there"

var errNoModules = resp.Error(noModules)

func refuseModules(Call, *command.Args) resp.Reply { return errNoModules }

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MODULE", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about modules, of which there are none.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> MODULE\n-ERR wrong number of arguments for 'module' command\n" +
			"> MODULE NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try MODULE HELP.\n",
	},
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MODULE|LIST", Arity: 2, Complexity: "O(1)",
		Summary: "Lists the modules that are loaded: none.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> MODULE LIST\n[]\n> MODULE LIST all\n-ERR wrong number of arguments for 'module|list' command\n",
	},
	Run: func(Call, *command.Args) resp.Reply { return resp.EmptyList },
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MODULE|LOAD", Syntax: "path [arg [arg ...]]", Arity: -3, Complexity: "O(1)",
		Summary: "Is refused: modules cannot be loaded.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> MODULE LOAD /lib/json.so\n-" + noModules + "\n",
	},
	Run: refuseModules,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MODULE|LOADEX", Syntax: "path [CONFIG name value [CONFIG name value ...]] [ARGS args [args ...]]", Arity: -3, Complexity: "O(1)",
		Summary: "Is refused: modules cannot be loaded.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> MODULE LOADEX /lib/json.so\n-" + noModules + "\n",
	},
	Run: refuseModules,
})

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "MODULE|UNLOAD", Syntax: "name", Arity: 3, Complexity: "O(1)",
		Summary: "Is refused: no module is loaded.",
		Group:   "server", Since: "0.1.0", Flags: command.Admin | command.NoScript,
		Examples: "> MODULE UNLOAD json\n-" + noModules + "\n",
	},
	Run: refuseModules,
})
