package keyspace

import "slices"

// Large is a value that is saved in pieces.
type Large struct {
	Key      []byte
	Type     Type
	Encoding Encoding
	// Deadline is when the key ends, Unix milliseconds, or NoDeadline; Fields,
	// when the first of its fields does.
	Deadline, Fields int64
	// Stamp is the key's access clock.
	Stamp uint32
	// Frozen has its elements; a stream's is a FrozenStream.
	Frozen Frozen
}

// Frozen is a large value as it was when it was frozen, whatever has become of
// it since. The value keeps what is needed for that, element by element or block
// by block, before it changes; it must not be freed until the walk is over.
type Frozen interface {
	// Len is the number of elements.
	Len() int
	// Walk calls visit for the next elements, with about so much effort (one for
	// each small element, more for others), and reports whether those were the
	// last. Lists are walked in order. If visit is nil, nobody wants to see the
	// elements, and a stream's are never shown.
	Walk(effort int, visit func(Element)) (done bool)
	// Thaw ends it, once it has been walked to the end: the value keeps nothing
	// any more.
	Thaw()
}

// FrozenStream is the Frozen of a stream, which is more than elements: it comes
// in parts.
type FrozenStream interface {
	Frozen
	// Runs is how many StreamRuns there are.
	Runs() int
	// WalkParts is Walk for parts, with an effort of one for each small entry or
	// delivery.
	WalkParts(effort int, visit func(StreamPart)) (done bool)
}

// StreamImage is an Image that can do with streams in parts. Others get streams
// of any size as entries.
type StreamImage interface {
	Image
	// Part appends the next part of the stream begun last.
	Part(dst []byte, l Large, p StreamPart) []byte
}

// A value that can be frozen is saved in pieces from so many elements, or bytes,
// on. Others are saved in one go: in well under a millisecond.
const (
	largeLenMin   = 1024
	largeBytesMin = 128 << 10
)

// large is a value that was frozen.
type large struct {
	Large
	db     int
	object Object
	begun  bool
	orphan bool // no key has it any more
}

// freeze freezes a value, if it is large enough to be saved in pieces.
func (tx *Tx) freeze(v *Value, db int) bool {
	if !v.head.object() {
		return false
	}
	obj, kind, s := v.Object(), tx.Kind(v.head.typ), v.sh.save
	if kind == nil || kind.Freeze == nil || obj.Len() < largeLenMin && obj.Bytes() < largeBytesMin {
		return false
	}
	if _, parts := s.image.(StreamImage); v.head.typ == Stream && !parts {
		return false
	}
	l := &large{db: db, object: obj, Large: Large{
		Key: slices.Clone(v.Key()), Type: v.head.typ, Encoding: obj.Encoding(), Deadline: tx.Deadline(*v),
		Fields: v.fieldDeadline(), Stamp: v.Stamp(), Frozen: kind.Freeze(*v, &s.kept),
	}}
	s.large = append(s.large, l)
	s.objects[obj] = l
	return true
}

// SaveLarge appends some of the first large value of the one shard at hand. It
// reports whether that is said whole: the next call begins with another value,
// or appends nothing if there is none. Call it when SaveSome is done.
func (tx *Tx) SaveLarge(dst []byte, most int) (out []byte, whole bool) {
	sh := tx.only
	s := sh.save
	if len(s.large) == 0 {
		return dst, true
	}
	l := s.large[0]
	if s.image != nil && !l.begun {
		dst = s.image.Begin(s.image.Database(dst, l.db), l.Large)
		l.begun = true
	}
	end := len(dst) + most
	for steps := 0; len(dst) < end && steps < largeSteps; steps++ {
		done := false
		if dst, done = s.walk(dst, l); done {
			if s.image != nil {
				dst = s.image.End(dst, l.Large)
			}
			sh.thaw()
			return dst, true
		}
	}
	return dst, false
}

// walkEffort is how much of a large value is walked at once, largeSteps how often in
// a slice: as its elements may become much shorter than they are, the bytes that are
// appended are no bound of what that takes.
const (
	walkEffort = 64
	largeSteps = 16
)

// walk appends some of a large value.
func (s *saving) walk(dst []byte, l *large) (out []byte, done bool) {
	stream, parts := l.Frozen.(FrozenStream)
	switch {
	case s.image == nil:
		done = l.Frozen.Walk(walkEffort, nil)
	case parts:
		image := s.image.(StreamImage)
		done = stream.WalkParts(walkEffort, func(p StreamPart) { dst = image.Part(dst, l.Large, p) })
	default:
		done = l.Frozen.Walk(walkEffort, func(e Element) { dst = s.image.Element(dst, l.Large, e) })
	}
	return dst, done
}

// LargeLeft is how many large values are yet to be saved of the shards at hand.
func (tx *Tx) LargeLeft() (n int) {
	tx.EachShard(func(sh *Shard) {
		if sh.save != nil {
			n += len(sh.save.large)
		}
	})
	return n
}

// thaw ends the first of the frozen values.
func (sh *Shard) thaw() {
	l := sh.save.large[0]
	sh.save.large[0] = nil
	sh.save.large = sh.save.large[1:]
	delete(sh.save.objects, l.object)
	l.Frozen.Thaw()
	if l.orphan {
		sh.garbage.objects = append(sh.garbage.objects, l.object)
	}
}

// holdsFrozen reports whether an object that has lost its key is frozen; if so
// it is given back later.
func (sh *Shard) holdsFrozen(obj Object) bool {
	if sh.save == nil {
		return false
	}
	l := sh.save.objects[obj]
	if l == nil {
		return false
	}
	l.orphan = true
	return true
}
