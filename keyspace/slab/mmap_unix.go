//go:build linux || darwin || freebsd

package slab

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noHugePage is Linux's MADV_NOHUGEPAGE, which x/sys does not name on other
// systems. With huge pages a lone live 16 KB page keeps 2 MB resident, and
// the kernel's collapser fills returned pages back in.
const noHugePage = 14

// osPage is the size in bytes of the pages that the system maps.
var osPage = os.Getpagesize()

// MapChunk maps n zeroed bytes that the garbage collector neither scans nor
// counts. It panics if the system refuses memory. No swap or memory is set
// aside: only the pages that are touched become resident.
func MapChunk(n int) unsafe.Pointer {
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(wholePages(n)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(fmt.Errorf("slab: mapping %d bytes: %w", n, err))
	}
	if runtime.GOOS == "linux" {
		// Advice only: a kernel built without huge pages refuses it.
		_ = unix.Madvise(unsafe.Slice((*byte)(p), n), noHugePage)
	}
	return p
}

// UnmapChunk gives back what MapChunk(n) returned. No pointer into it may be
// used afterwards.
func UnmapChunk(p unsafe.Pointer, n int) {
	if err := unix.MunmapPtr(p, uintptr(wholePages(n))); err != nil {
		panic(fmt.Errorf("slab: unmapping %d bytes: %w", n, err))
	}
}

// giveBack tells the system that the contents of n bytes at p are not needed,
// so that it takes the memory away (on Linux at once, elsewhere when it wants
// some). The range stays mapped. A system whose pages are larger than ours
// may refuse; the memory then stays resident until it is unmapped.
func giveBack(p unsafe.Pointer, n int) {
	advice := unix.MADV_FREE
	if runtime.GOOS == "linux" {
		advice = unix.MADV_DONTNEED
	}
	_ = unix.Madvise(unsafe.Slice((*byte)(p), n), advice)
}

// wholePages rounds n up to whole pages of the system.
func wholePages(n int) int { return (n + osPage - 1) &^ (osPage - 1) }
