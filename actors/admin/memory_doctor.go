package admin

import (
	"fmt"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// From where on MEMORY DOCTOR finds something odd.
const (
	doctorLittle      = 5 << 20  // bytes in use, below which nothing is worth a word
	doctorMin         = 32 << 20 // bytes of waste that are worth a word …
	doctorPart        = 0.25     // … if they are such a part of what is in use
	doctorPeak        = 1.5      // peak to present use
	doctorPerClient   = 200 << 10
	doctorWatches     = 50_000
	doctorMachinePart = 0.9 // of the machine's memory
)

func memoryDoctor(v View, _ *command.Args) resp.Reply {
	p := patient{
		memoryUse: v.measure(), process: v.process.read(), machine: systemMemory(),
		links: int64(v.system.Server.Connected()), compacting: v.compactionShare() > 0, compacts: v.Tx.Settings.Compaction.On,
	}
	_, _, p.watches = v.system.Server.Watches.Stats()
	return resp.VerbatimText("txt", p.diagnose())
}

// compactionShare is the percentage of a processor's time that compaction may
// take of the shard where it is at its most eager; 0 if there is none under way.
func (v View) compactionShare() (percent int64) {
	v.Tx.EachShard(func(sh *keyspace.Shard) { percent = max(percent, sh.CompactionShare()) })
	return percent
}

// patient is what the doctor looks at.
type patient struct {
	memoryUse
	process              processUse
	machine              int64 // bytes; 0 if that is not known
	links, watches       int64
	compacting, compacts bool
}

// much reports whether so many bytes are worth a word.
func (p *patient) much(n int64) bool { return n > doctorMin && ratio(n, p.allocated()) > doctorPart }

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n>>20) }

func (p *patient) diagnose() string {
	if p.allocated() < doctorLittle {
		return "There is next to nothing in memory, so there is nothing to say about it.\n"
	}
	var odd []string
	for _, look := range []func(*patient) string{
		(*patient).peakIsHigh, (*patient).slabsHaveGaps, (*patient).pagesAreSpare, (*patient).goIsLarge, (*patient).isFreeing,
		(*patient).keepsForSave, (*patient).clientsAreLarge, (*patient).watchesAreMany, (*patient).machineIsFull,
	} {
		if words := look(p); words != "" {
			odd = append(odd, words)
		}
	}
	if len(odd) == 0 {
		return "Nothing is odd about the use of memory.\n"
	}
	return "What is odd about the use of memory:\n\n* " + strings.Join(odd, "\n\n* ") + "\n"
}

func (p *patient) peakIsHigh() string {
	if ratio(p.peak, p.allocated()) <= doctorPeak {
		return ""
	}
	return fmt.Sprintf("Far more memory was in use before than is now: %s, and now %s. The process shrinks by itself, in small steps.",
		megabytes(p.peak), megabytes(p.allocated()))
}

func (p *patient) slabsHaveGaps() string {
	if !p.much(p.gaps) {
		return ""
	}
	words := fmt.Sprintf("The slabs have gaps of %s: many keys or elements were deleted here and there. ", megabytes(p.gaps))
	switch {
	case p.compacting:
		return words + "They are being compacted; active-defrag-cycle-max says how eagerly."
	case p.compacts:
		return words + "They will be compacted soon, but not while a snapshot is written; MEMORY PURGE does it at once."
	}
	return words + "CONFIG SET activedefrag yes lets the server compact them by itself; MEMORY PURGE does it once."
}

func (p *patient) pagesAreSpare() string {
	if !p.much(p.spare) {
		return ""
	}
	return fmt.Sprintf("%s of pages are empty and kept for what comes next. MEMORY PURGE gives them back.", megabytes(p.spare))
}

func (p *patient) goIsLarge() string {
	if !p.much(p.unused + p.free) {
		return ""
	}
	return fmt.Sprintf("Go's heap keeps %s that nothing lives in. It is given back in the background; MEMORY PURGE does it at once.", megabytes(p.unused+p.free))
}

func (p *patient) isFreeing() string {
	if p.pending == 0 {
		return ""
	}
	return fmt.Sprintf("%d large values, and keys of flushed databases, are yet to be freed. That goes on in slices; there is nothing to be done.", p.pending)
}

func (p *patient) keepsForSave() string {
	if !p.much(p.early) {
		return ""
	}
	return fmt.Sprintf("%s are kept for the snapshot that is being written, because of what has changed since it began. They go when it is done.", megabytes(p.early))
}

func (p *patient) clientsAreLarge() string {
	if p.links == 0 || p.clients/p.links <= doctorPerClient {
		return ""
	}
	return fmt.Sprintf("%d clients take %s: some do not read what they are sent. CLIENT LIST shows them by omem and tot-mem; "+
		"CLIENT KILL ends one, and client-output-buffer-limit bounds those that listen.", p.links, megabytes(p.clients))
}

func (p *patient) watchesAreMany() string {
	if p.watches <= doctorWatches {
		return ""
	}
	return fmt.Sprintf("There are %d watches of live queries, each of which takes some memory. maxwatches and maxwatches-per-client bound them.", p.watches)
}

func (p *patient) machineIsFull() string {
	if p.machine == 0 || float64(p.process.resident) <= doctorMachinePart*float64(p.machine) {
		return ""
	}
	return "The process takes nearly all of the machine's memory, and may soon be ended by the system."
}
