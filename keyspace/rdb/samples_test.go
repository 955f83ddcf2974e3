package rdb

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the samples in testdata/rdb that are made here, and what is read in all of them")

const samplesDir = "../../testdata/rdb"

// The files in testdata/rdb are read as what is written beside them: those that
// redis-server has saved, and one of each version.
func TestSampleFiles(t *testing.T) {
	t.Parallel()
	if *update {
		for version, sample := range samples() {
			write(t, filepath.Join(samplesDir, fmt.Sprintf("version-%d.rdb", version)), sample.file)
		}
	}
	paths, err := filepath.Glob(filepath.Join(samplesDir, "*.rdb"))
	if err != nil || len(paths) <= len(samples()) {
		t.Fatalf("%d samples, %v", len(paths), err)
	}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := listing(mustRead(t, file))
		beside := strings.TrimSuffix(path, ".rdb") + ".listing"
		if *update {
			write(t, beside, []byte(got))
		}
		if want, err := os.ReadFile(beside); err != nil || got != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", path, err, got, want)
		}
	}
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// listing is what was read, a line for each item and for each of its elements.
func listing(all []told) string {
	var out strings.Builder
	for _, i := range all {
		switch i.kind {
		case KeyItem:
			fmt.Fprintf(&out, "key %q db %d %s", i.key, i.db, i.typ)
			if i.meta != NoMeta {
				fmt.Fprintf(&out, " deadline %d idle %d freq %d", i.meta.Deadline, i.meta.Idle, i.meta.Freq)
			}
		case AuxItem:
			fmt.Fprintf(&out, "aux %q %q", i.key, i.text)
		case FunctionItem:
			fmt.Fprintf(&out, "function %q", i.text)
		case SizeItem:
			fmt.Fprintf(&out, "size db %d %s", i.db, i.text)
		case ModuleItem:
			fmt.Fprintf(&out, "module %s", i.text)
		}
		out.WriteByte('\n')
		for _, m := range i.members {
			fmt.Fprintf(&out, "  %q %q %v %d\n", m.text, m.value, m.score, m.deadline)
		}
	}
	return out.String()
}
