package aof

import (
	"bytes"
	"path"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// ManifestSuffix is what the name of a manifest ends with.
const ManifestSuffix = ".manifest"

// Manifest names the files of which an append-only file of Redis 7.0 or later is
// made, in the order in which they are to be read: a base, which may be missing,
// and what came after it.
type Manifest struct {
	Base  *Part
	Later []Part
	// History are files that are no longer needed, and may be gone.
	History []Part
}

// Part is a file that a manifest names.
type Part struct {
	Name string
	Seq  int64
}

// Parts are the files to be read, in order.
func (m *Manifest) Parts() (parts []Part) {
	if m.Base != nil {
		parts = append(parts, *m.Base)
	}
	return append(parts, m.Later...)
}

// manifestLineMax is how long a line may be, with its end.
const manifestLineMax = 1024

// ParseManifest reads a manifest, which has a line for each file, and remarks
// that begin with #:
//
//	file appendonly.aof.1.base.rdb seq 1 type b
//
// The pairs are in any order, unknown ones are passed over, and names may be
// quoted as words of commands are. A type is b for the base, of which there is
// one at most, i for what came later, in the order of seq, or h for history. A
// mistake is a *FileError that tells where the line begins.
func ParseManifest(text []byte) (m Manifest, err error) {
	if len(text) == 0 {
		return m, &FileError{Err: corrupt("a manifest without a line")}
	}
	for at := 0; at < len(text); {
		line, _, ends := bytes.Cut(text[at:], []byte("\n"))
		err := m.line(line)
		if err == nil && !ends {
			err = corrupt("a line that was not written whole")
		}
		if err != nil {
			return Manifest{}, &FileError{Offset: int64(at), Begin: int64(at), Err: err}
		}
		at += len(line) + 1
	}
	return m, nil
}

// line adds what a line says.
func (m *Manifest) line(line []byte) error {
	if len(line) >= manifestLineMax {
		return corrupt("a line of more than %d bytes", manifestLineMax)
	}
	if bytes.HasPrefix(line, []byte("#")) {
		return nil
	}
	part, kind, err := parsePart(line)
	switch {
	case err != nil:
		return err
	case kind == 'b' && m.Base != nil:
		return corrupt("a second base, %q", part.Name)
	case kind == 'b':
		m.Base = &part
	case kind == 'h':
		m.History = append(m.History, part)
	case kind == 'i' && len(m.Later) > 0 && part.Seq <= m.Later[len(m.Later)-1].Seq:
		return corrupt("the number of %q is not higher than that of the file before it", part.Name)
	case kind == 'i':
		m.Later = append(m.Later, part)
	default:
		return corrupt("%q is of an unknown type", part.Name)
	}
	return nil
}

// parsePart reads the pairs of a line.
func parsePart(line []byte) (part Part, kind byte, err error) {
	words, ok := resp.SplitLine(bytes.TrimSpace(line))
	if !ok || len(words) < 6 || len(words)%2 != 0 {
		return part, 0, corrupt("%.40q is no line of a manifest", line)
	}
	for i := 0; i < len(words); i += 2 {
		name, value := words[i], words[i+1]
		switch {
		case isName(name, "FILE"):
			part.Name = string(value)
		case isName(name, "SEQ"):
			if part.Seq, ok = command.ParseInt(value); !ok || part.Seq < 1 {
				return part, 0, corrupt("%q is no number of a file", value)
			}
		case isName(name, "TYPE") && len(value) > 0:
			kind = value[0]
		}
	}
	switch {
	case part.Name == "" || part.Seq == 0 || kind == 0:
		return part, 0, corrupt("%.40q lacks a name, a number or a type", line)
	case !isBase(part.Name):
		return part, 0, corrupt("%q is no name of a file in the same directory", part.Name)
	}
	return part, kind, nil
}

// isBase reports whether a name is one within a directory.
func isBase(name string) bool {
	return path.Base(name) == name && name != "." && name != ".." && name != "/" && !bytes.ContainsAny([]byte(name), "\\\x00")
}
