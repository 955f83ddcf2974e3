package admin

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY", Arity: -2, Complexity: "Depends on the subcommand",
		Summary: "Commands about how long things take.",
		Group:   "server", Since: "0.1.0", Flags: command.SubCommands,
		Examples: "> LATENCY\n-ERR wrong number of arguments for 'latency' command\n" +
			"> LATENCY NONSENSE\n-ERR unknown subcommand 'NONSENSE'. Try LATENCY HELP.\n",
	},
})

const latencyFlags = operator | command.NoScript

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|LATEST", Arity: 2, Complexity: "O(1)",
		Summary: "Returns for each event: its name, the second of its last spike, how long that was, and the longest, in milliseconds.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags | command.Random,
		Examples: "> LATENCY LATEST\n[]\n> LATENCY LATEST 1\n-ERR wrong number of arguments for 'latency|latest' command\n",
	},
	Run: latencyLatest,
})

func latencyLatest(c Call, _ *command.Args) resp.Reply {
	var items []resp.Reply
	for _, event := range c.spikes.names() {
		h := c.spikes.history(event)
		if len(h.moments) == 0 {
			continue // forgotten meanwhile
		}
		last := h.moments[len(h.moments)-1]
		items = append(items, resp.Array(resp.BulkString(event), resp.Int(last.when), resp.Int(last.took), resp.Int(h.worst)))
	}
	return resp.Array(items...)
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|HISTORY", Syntax: "event", Arity: 3, Complexity: "O(1)",
		Summary: "Returns an event's spikes: the second of each, and how long it was in milliseconds.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags | command.Random,
		Examples: "> LATENCY HISTORY command\n[]\n> LATENCY HISTORY\n-ERR wrong number of arguments for 'latency|history' command\n",
	},
	Run: latencyHistory,
})

func latencyHistory(c Call, a *command.Args) resp.Reply {
	var items []resp.Reply
	for _, m := range c.spikes.history(string(a.Bytes())).moments {
		items = append(items, resp.Array(resp.Int(m.when), resp.Int(m.took)))
	}
	return resp.Array(items...)
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|RESET", Syntax: "[event [event ...]]", Arity: -2, Complexity: "O(1)",
		Summary: "Forgets the spikes of the events, or of all, and tells how many events had any.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags,
		Examples: "> LATENCY RESET\n:0\n> LATENCY RESET command nonsense\n:0\n",
	},
	Run: latencyReset,
})

func latencyReset(c Call, a *command.Args) resp.Reply {
	var names []string
	for _, name := range a.Rest() {
		names = append(names, string(name))
	}
	return resp.Int(int64(c.spikes.reset(names)))
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|GRAPH", Syntax: "event", Arity: 3, Complexity: "O(1)",
		Summary: "Draws an event's spikes.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags | command.Random,
		Examples: "> CONFIG SET latency-monitor-threshold 1\n+OK\n> DEBUG SLEEP 0.002\n+OK\n> LATENCY GRAPH command\n*\n> LATENCY RESET\n:1\n> LATENCY GRAPH command\n-ERR No samples available for event 'command'\n",
	},
	Run: latencyGraph,
})

func latencyGraph(c Call, a *command.Args) resp.Reply {
	event := string(a.Bytes())
	h := c.spikes.history(event)
	if len(h.moments) == 0 {
		return resp.Error("ERR No samples available for event '" + event + "'")
	}
	return resp.VerbatimText("txt", drawSpikes(event, h, c.Session.Server().Millis()/1000))
}

var _ = Commands.Add(command.Spec[Call]{
	Meta: command.Meta{
		Name: "LATENCY|DOCTOR", Arity: 2, Complexity: "O(1)",
		Summary: "Explains the spikes in words.",
		Group:   "server", Since: "0.1.0", Flags: latencyFlags | command.Random,
		Examples: "> LATENCY DOCTOR\n*\n> LATENCY DOCTOR now\n-ERR wrong number of arguments for 'latency|doctor' command\n",
	},
	Run: latencyDoctor,
})

func latencyDoctor(c Call, _ *command.Args) resp.Reply {
	histories := map[string]spikeHistory{}
	for _, event := range c.spikes.names() {
		histories[event] = c.spikes.history(event)
	}
	return resp.VerbatimText("txt", explainSpikes(histories, c.settings.Int("latency-monitor-threshold")))
}
