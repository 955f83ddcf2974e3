package journal

import (
	"fmt"
	"testing"
)

// open opens a directory and replays it into texts "version time body".
func reopen(t *testing.T, disk FS, path string) (*Dir, []string, Report) {
	t.Helper()
	d, err := OpenDir(disk, path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	report, err := d.Replay(d.Manifest().Snapshot.Version, func(r Record) error {
		got = append(got, fmt.Sprintf("%d %d %s", r.Version, r.Time, r.Body))
		return nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d, got, report
}

func begin(t *testing.T, d *Dir, c Config) *Log {
	t.Helper()
	l, err := d.Begin(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestReopen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	d, _, _ := reopen(t, Disk, dir)
	l := begin(t, d, Config{})
	base := l.Append(7, []byte("onetwo"), []int{3, 3, 6})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	d, got, _ := reopen(t, Disk, dir)
	defer d.Close()
	want := fmt.Sprintf("[%d 7 one %d 7  %d 7 two]", base+1, base+2, base+3)
	if fmt.Sprint(got) != want {
		t.Errorf("read %s, want %s", got, want)
	}
}
