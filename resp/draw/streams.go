package draw

// Commands on streams. IDs are given, since both servers have clocks of their
// own; what tells how long ago something was is left out.

var alikeStreams = []func(Source) []string{
	func(w Source) []string {
		return join(line("XADD", w.key("x")), w.maybe("NOMKSTREAM"), w.entry())
	},
	func(w Source) []string {
		return join(line("XADD", w.key("x"), w.pick("MAXLEN", "MINID"), w.pick("=", "~"), w.number(0, 50)), w.entry())
	},
	func(w Source) []string { return line("XLEN", w.key("x")) },
	func(w Source) []string {
		return join(line("XRANGE", w.key("x"), w.pick("-", w.entryID(), "("+w.entryID()), w.pick("+", w.entryID())), w.maybe("COUNT", w.integer()))
	},
	func(w Source) []string {
		return join(line("XREVRANGE", w.key("x"), w.pick("+", w.entryID()), w.pick("-", "("+w.entryID())), w.maybe("COUNT", w.number(1, 9)))
	},
	func(w Source) []string { return line("XDEL", w.key("x"), w.entryID(), w.entryID()) },
	func(w Source) []string {
		return line("XTRIM", w.key("x"), w.pick("MAXLEN", "MINID", "x"), w.pick("=", "~"), w.number(0, 100))
	},
	func(w Source) []string {
		return join(line("XREAD"), w.maybe("COUNT", w.integer()), line("STREAMS", w.key("x"), w.entryID()))
	},
	func(w Source) []string {
		return join(line("XGROUP", "CREATE", w.key("x"), w.pick("g", "h"), w.pick("$", "0", w.entryID())), w.maybe("MKSTREAM"))
	},
	func(w Source) []string {
		return line("XGROUP", w.pick("CREATECONSUMER", "DELCONSUMER"), w.key("x"), w.pick("g", "h"), w.consumer())
	},
	func(w Source) []string {
		if w.OneIn(5) {
			return line("XGROUP", "DESTROY", w.key("x"), w.pick("g", "h"))
		}
		return line("XGROUP", "SETID", w.key("x"), w.pick("g", "h"), w.pick("$", "0", w.entryID()))
	},
	func(w Source) []string {
		return join(line("XREADGROUP", "GROUP", w.pick("g", "h"), w.consumer()), w.maybe("COUNT", w.number(1, 9)), w.maybe("NOACK"),
			line("STREAMS", w.key("x"), w.pick(">", ">", "0", w.entryID())))
	},
	func(w Source) []string {
		return line("XACK", w.key("x"), w.pick("g", "h"), w.entryID(), w.entryID(), w.entryID())
	},
	func(w Source) []string { return line("XPENDING", w.key("x"), w.pick("g", "h")) },
	func(w Source) []string {
		return join(line("XCLAIM", w.key("x"), w.pick("g", "h"), w.consumer(), "0", w.entryID(), w.entryID()), w.maybe("FORCE"), w.maybe("JUSTID"))
	},
	func(w Source) []string {
		return join(line("XAUTOCLAIM", w.key("x"), w.pick("g", "h"), w.consumer(), "0", w.pick("-", w.entryID())), w.maybe("COUNT", w.number(1, 9)))
	},
	func(w Source) []string { return line("XINFO", "GROUPS", w.key("x")) },
}

// entryID draws the ID of an entry that there may be.
func (w Source) entryID() string { return w.number(0, 9) + "-" + w.number(0, 300) }

// entry draws the ID and the fields of a new entry.
func (w Source) entry() []string {
	return join(line(w.pick(w.number(0, 9)+"-*", "9-*", "9-*", "9-*", w.entryID())), twos(3, w, w.field))
}

func (w Source) consumer() string { return w.pick("ada", "grace") }
