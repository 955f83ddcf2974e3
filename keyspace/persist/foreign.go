package persist

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/aof"
)

// A directory may have been redis-server's before. Its files are read, and left
// as they are; what they hold becomes the journal's first snapshot before anybody
// is served. A crash before that leaves a journal that has nothing to say, and they
// are read again.

// RedisFiles are the names that redis-server's append-only files have in the
// directory: its settings appenddirname and appendfilename. None: they are not
// looked for.
type RedisFiles struct {
	AppendDir, AppendFile string
	// Whole refuses a file whose end was not written whole (aof-load-truncated no).
	Whole bool
}

// Foreign is something of redis-server's to be read: what aof.Open takes.
type Foreign struct {
	Disk fs.FS
	Name string
	// Dir is where Disk begins, for messages.
	Dir string
}

// Loaded is what was read when the server started.
type Loaded struct {
	// Files are those of redis-server that were read.
	Files []string
	// Keys are those of snapshots, Commands those of the journal and of append-only
	// files. Ended are the keys that were past their deadline.
	Keys, Commands, Ended int64
	// Refused is how many of the commands were answered by errors, and Refusal one
	// of them.
	Refused int64
	Refusal string
}

// Loaded tells what was read: nothing, while it is being read.
func (s *Store) Loaded() Loaded {
	if sum := s.whole.Load(); sum != nil {
		return *sum
	}
	return Loaded{}
}

// foreign are the files that are to be read of a directory whose journal has
// nothing to say. Without a journal that is the RDB file, as with redis-server;
// with one, append-only files come first.
func (s *Store) foreign() ([]Foreign, error) {
	disk := seam{s.FS, s.Dir}
	name := s.fileName()
	if s.Journal {
		found, err := s.appendOnly(disk)
		if err != nil {
			return nil, err
		}
		if found != "" {
			name = found
		}
	}
	switch _, err := disk.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []Foreign{{disk, name, s.Dir}}, nil
}

// appendOnly is the path of redis-server's append-only file: its manifest, or the
// one file of releases before 7.0. Without the manifest nobody can tell what the
// files are that it names.
func (s *Store) appendOnly(disk seam) (name string, err error) {
	dir, file := s.Redis.AppendDir, s.Redis.AppendFile
	if dir == "" || file == "" {
		return "", nil
	}
	manifest := dir + "/" + file + aof.ManifestSuffix
	for _, name := range []string{manifest, file} {
		if _, err := disk.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return name, err
		}
	}
	names, err := s.FS.ReadDir(s.path(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	for _, name := range names {
		if strings.HasPrefix(name, file+".") {
			return "", fmt.Errorf("%s: the file is missing, and %s is there: bring it back, or move the directory away", s.path(manifest), name)
		}
	}
	return "", err
}

// loadForeign reads files of redis-server, later ones over earlier ones. some says
// that there are keys already.
func (s *Store) loadForeign(l *loader, files []Foreign, some bool) error {
	for _, f := range files {
		if err := s.loadOver(l, f, some); err != nil {
			return err
		}
		s.sum.Files = append(s.sum.Files, filepath.Join(f.Dir, f.Name))
		some = true
	}
	if len(files) == 0 {
		return nil
	}
	return s.dropEnded()
}

// loadOver reads a file over what is there, if anything is. Commands mean a
// keyspace of their own: they are done beside it, and what they come to takes the
// place of keys of the same names.
func (s *Store) loadOver(l *loader, f Foreign, some bool) error {
	source, err := aof.Open(watched{f.Disk, l}, f.Name)
	if err != nil {
		return f.placed(err)
	}
	defer source.Close()
	source.Check(!s.options.Load().Unchecked)
	var total int64
	for _, file := range source.Files() {
		total += file.Size
	}
	l.begin(filepath.Join(f.Dir, f.Name), total)
	if !some || source.Kind() == aof.Snapshot {
		return s.readSource(l, source, f)
	}
	shadow := s.Node.Shadow()
	defer shadow.Close()
	beside := newLoader(s, shadow, s.Functions)
	beside.progress = l.progress
	err = errors.Join(s.readSource(beside, source, f), beside.close())
	l.count(beside)
	if err != nil {
		return err
	}
	keys := l.keys
	err = l.transfer(shadow)
	l.keys = keys
	return err
}

// readSource does what a source says.
func (s *Store) readSource(l *loader, source *aof.Source, f Foreign) error {
	var u aof.Unit
	for units := 0; ; units++ {
		err := source.Read(&u)
		switch {
		case errors.Is(err, io.EOF) && units == 0 && source.Kind() == aof.Commands && f.Name == s.fileName():
			return f.placed(errEmpty) // which may be a log without commands, but no snapshot
		case errors.Is(err, io.EOF):
			return l.settle()
		case errors.Is(err, aof.ErrTorn) && !s.Redis.Whole:
			s.Log.Warn("the append-only file's end was not written whole, as after a crash; what is whole was read", "where", f.placed(err))
			return l.settle()
		case errors.Is(err, aof.ErrTorn):
			return fmt.Errorf("%w; to read what is whole: --aof-load-truncated yes", f.placed(err))
		case err == nil:
			err = l.unit(&u)
		}
		if err == nil {
			err = source.Err() // in elements that were read on the way
		}
		if err != nil {
			return f.placed(err)
		}
	}
}

// errEmpty: there is an RDB file, with nothing in it.
var errEmpty = errors.New("the file is empty, as if its bytes were lost: bring it back, or move it away")

// placed is an error with the path of the file.
func (f Foreign) placed(err error) error {
	var mistake *aof.FileError
	if errors.As(err, &mistake) {
		if !filepath.IsAbs(mistake.File) {
			mistake.File = filepath.Join(f.Dir, mistake.File)
		}
		return err
	}
	if errors.Is(err, aof.ErrNoSource) {
		err = aof.ErrNoSource // it names the file too, as Disk knows it
	}
	return fmt.Errorf("%s: %w", filepath.Join(f.Dir, f.Name), err)
}

// dropEnded takes away what is past its deadline, and counts the keys.
func (s *Store) dropEnded() error {
	for shard := range s.Node.Len() {
		for more := true; more; {
			broken := s.Node.Visit([]int{shard}, func(tx *keyspace.Tx) {
				tx.EachShard(func(sh *keyspace.Shard) {
					before := sh.Stats.Expired
					more = tx.ExpireDue()
					s.sum.Ended += int64(sh.Stats.Expired - before)
					sh.Stats.Expired = before
				})
			})
			if broken != nil {
				return fmt.Errorf("loading: %v", broken.Reason)
			}
		}
	}
	return nil
}

// adoptForeign makes what was read the journal's base.
func (s *Store) adoptForeign(adopt func() (written, error)) error {
	w, err := adopt()
	if halted := s.halted(); err != nil && halted != nil {
		return halted
	}
	if err != nil {
		return fmt.Errorf("making the files of redis-server the journal's base: %w", err)
	}
	s.Log.Info("files of redis-server were read and are the journal's base from now on; they are left as they are, and not read again",
		"files", strings.Join(s.sum.Files, " "), "keys", w.keys, "ended", s.sum.Ended, "took", w.took)
	return nil
}
