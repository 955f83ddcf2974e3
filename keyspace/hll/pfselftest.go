package hll

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var _ = Commands.Add(command.Spec[*keyspace.Tx]{
	Meta: command.Meta{
		Name: "PFSELFTEST", Arity: 1, Complexity: "O(1), some milliseconds",
		Summary: "Tests whether HyperLogLogs count right on this machine.",
		Group:   "hyperloglog", Since: "0.1.0", Flags: command.Admin | command.Heavy,
		Examples: "> PFSELFTEST\n+OK\n" +
			"> PFSELFTEST now\n-ERR wrong number of arguments for 'pfselftest' command\n",
	},
	Run: pfselftest,
})

func pfselftest(tx *keyspace.Tx, _ *command.Args) resp.Reply {
	for _, test := range []func(*keyspace.Tx) error{testRegisters, testCounts} {
		if err := test(tx); err != nil {
			return resp.Error("TESTFAILED " + err.Error())
		}
	}
	return resp.OK
}

// testRegisters writes all registers of a dense sketch, in steps that go round,
// and reads them again, one by one and eight at a time.
func testRegisters(tx *keyspace.Tx) error {
	var want union
	regs := make([]byte, denseSize-headerSize)
	for i := range registers {
		index := i * 4099 % registers
		want[index] = byte(tx.Rand() % 64)
		raiseDense(regs, index, want[index])
	}
	for i, value := range want {
		if got := denseAt(regs, i); got != value {
			return fmt.Errorf("Register %d should be %d but is %d", i, value, got)
		}
		if got := byte(load8(regs, i&^7) >> (i % 8 * 8)); got != value {
			return fmt.Errorf("Register %d should be %d but is read as %d", i, value, got)
		}
	}
	return nil
}

// testCounts adds different elements to a sparse and a dense sketch, which must
// hold the same and, at every power of two, count no further off than six
// times the standard error.
func testCounts(tx *keyspace.Tx) error {
	const most = 1 << 16
	seed := tx.Rand()
	s := newSketch(nil)
	d, _ := s.toDense()
	for n := 1; n <= most; n++ {
		var element [8]byte
		binary.LittleEndian.PutUint64(element[:], seed^uint64(n))
		s, _, _ = s.add(tx, element[:])
		d, _, _ = d.add(tx, element[:])
		if n&(n-1) != 0 {
			continue
		}
		inSparse, ok := s.count()
		inDense, _ := d.count()
		if !ok || inSparse != inDense {
			return fmt.Errorf("Of %d elements the sparse form counts %d, the dense one %d", n, inSparse, inDense)
		}
		off := math.Abs(float64(inDense) - float64(n))
		if off > 1 && off > 6*1.04/math.Sqrt(registers)*float64(n) {
			return fmt.Errorf("Of %d elements %d are counted", n, inDense)
		}
	}
	return nil
}
