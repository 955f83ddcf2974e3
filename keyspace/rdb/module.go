package rdb

// Modules write values of their own behind their name, a number of 64 bits: nine
// characters of six bits each, the first one highest, and ten bits for a
// version. From 4.0 on (form 7) each of those says what it is, so that they can
// be passed over:
//
//	0 the end | 1 or 2, a length | 3, 32 bits | 4, 64 bits | 5, a text
const (
	moduleEnd      = 0
	moduleSigned   = 1
	moduleUnsigned = 2
	moduleFloat    = 3
	moduleDouble   = 4
	moduleText     = 5
)

const moduleLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// moduleName is the name that a number stands for.
func moduleName(id uint64) string {
	var name [9]byte
	id >>= 10
	for i := len(name) - 1; i >= 0; i-- {
		name[i] = moduleLetters[id&0x3f]
		id >>= 6
	}
	return string(name[:])
}

// frameModule is how the end of a module's value is found.
func frameModule(d *Decoder) {
	d.Length()
	d.skipModuleValues()
}

// skipModuleValues passes over what a module has written, and its end.
func (d *Decoder) skipModuleValues() {
	for d.err == nil {
		switch what := d.Length(); what {
		case moduleEnd:
			return
		case moduleSigned, moduleUnsigned:
			d.Length()
		case moduleFloat:
			d.skip(4)
		case moduleDouble:
			d.skip(8)
		case moduleText:
			d.skipText()
		default:
			d.fail(corrupt("a module's value of no known kind"))
		}
	}
}
