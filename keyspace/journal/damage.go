package journal

import "fmt"

// Damage is what keeps a directory from being used as it is: something on disk is not what was written.
// Whoever finds it has changed nothing.
type Damage struct {
	Dir    string
	File   string // the name in Dir
	Offset int64  // where in the file; -1 if it is not about a place in it
	What   string // what is wrong, in words
	Fatal  bool   // repair can't help: a newer program wrote this
}

// Error is one line that names the file, the place and the way out.
func (d *Damage) Error() string {
	return fmt.Sprintf("%s/%s%s: %s; %s", d.Dir, d.File, d.place(), d.What, d.remedy())
}

func (d *Damage) place() string {
	if d.Offset < 0 {
		return ""
	}
	return fmt.Sprintf(" at offset %d", d.Offset)
}

func (d *Damage) remedy() string {
	if d.Fatal {
		return "a program that knows this format is needed"
	}
	return fmt.Sprintf("to keep what is sound and move the rest aside: troupe check %s --repair", d.Dir)
}

// damage is for what is wrong with a file as a whole.
func (d *Dir) damage(file, format string, args ...any) *Damage {
	return &Damage{Dir: d.path, File: file, Offset: -1, What: fmt.Sprintf(format, args...)}
}

// damageAt is for what is wrong at a place.
func (d *Dir) damageAt(file string, offset int64, format string, args ...any) *Damage {
	return &Damage{Dir: d.path, File: file, Offset: offset, What: fmt.Sprintf(format, args...)}
}
