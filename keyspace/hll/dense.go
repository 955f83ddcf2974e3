package hll

// Dense registers stand in groups of four in three bytes.

// denseAt is a dense register.
func denseAt(regs []byte, index int) byte {
	b := regs[index/4*3 : index/4*3+3]
	group := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
	return byte(group >> (index % 4 * 6) & 63)
}

// raiseDense makes a dense register at least rank, and reports whether it was
// less.
func raiseDense(regs []byte, index int, rank byte) bool {
	b := regs[index/4*3 : index/4*3+3]
	group, shift := uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16, index%4*6
	if byte(group>>shift&63) >= rank {
		return false
	}
	group = group&^(63<<shift) | uint32(rank)<<shift
	b[0], b[1], b[2] = byte(group), byte(group>>8), byte(group>>16)
	return true
}

// union is the largest ranks of several sketches.
type union [registers]byte

// add takes in a sketch. One whose registers can't be read is not ok.
func (u *union) add(s sketch) (ok bool) {
	if s.form() == sparse {
		return u.addSparse(s.registers())
	}
	regs := s.registers()
	for i := 0; i < registers; i += 8 {
		b := u[i : i+8 : i+8]
		word.PutUint64(b, larger(word.Uint64(b), load8(regs, i)))
	}
	return true
}

// larger is, byte for byte, the larger one of a and b, all below 128.
func larger(a, b uint64) uint64 {
	const tops = 0x8080808080808080
	isA := (a | tops) - b&^tops // the top bit of a byte is left where a >= b
	isA &= tops
	mask := isA - isA>>7 | isA // all bits of these bytes
	return a&mask | b&^mask
}

func (u *union) addSparse(ops []byte) (ok bool) {
	seen := 0
	for at := 0; at < len(ops); {
		r := runAt(ops, at)
		if seen+r.length > registers {
			return false
		}
		if r.value > 0 {
			for i := range u[seen : seen+r.length] {
				u[seen+i] = max(u[seen+i], r.value)
			}
		}
		seen += r.length
		at += r.size
	}
	return seen == registers
}

// count is the number of different elements.
func (u *union) count() uint64 {
	var counts [4]histogram // see addDense
	for i := 0; i < registers; i += 4 {
		counts[0][u[i]%64]++
		counts[1][u[i+1]%64]++
		counts[2][u[i+2]%64]++
		counts[3][u[i+3]%64]++
	}
	for n := 1; n < len(counts); n++ {
		counts[0].addAll(&counts[n])
	}
	return counts[0].estimate()
}

// pack writes the dense registers.
func (u *union) pack(regs []byte) {
	for i := 0; i < registers; i += 8 {
		store8(regs, i, word.Uint64(u[i:i+8]))
	}
}

// toDense is a sketch in the dense form; the cardinality stays. One whose
// registers can't be read is not ok.
func (s sketch) toDense() (d sketch, ok bool) {
	var u union
	if !u.addSparse(s.registers()) {
		return nil, false
	}
	d = make(sketch, denseSize)
	copy(d, s[:headerSize])
	d[len(magic)] = byte(dense)
	u.pack(d.registers())
	return d, true
}
