//go:build linux || darwin || freebsd

package slab

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// noHugePage is Linux's MADV_NOHUGEPAGE, which x/sys does not name on other
// systems.
const noHugePage = 15

// osPage is the size in bytes of the pages that the system maps.
var osPage = os.Getpagesize()

// MapChunk maps n zeroed bytes that the garbage collector neither scans nor
// counts. It panics if the system refuses memory. Only pages that are touched
// become resident.
func MapChunk(n int) unsafe.Pointer {
	p, err := mapPages(wholePages(n))
	if err != nil {
		panic(fmt.Errorf("slab: mapping %d bytes: %w", n, err))
	}
	return p
}

// mapPages maps n bytes, whole pages.
func mapPages(n int) (unsafe.Pointer, error) {
	return unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
}

// mapArena maps an arena, without huge pages. With them, 880 MB of 1 GB given
// back in pages of ours lowered RSS but freed no memory at all, since Linux
// keeps a huge page whole until it runs short; and the longest insert took
// 6 ms, while one was cleared, instead of 0.03. The price is about a tenth of
// a look-up's time in large heaps, for the processor's page tables.
func mapArena() unsafe.Pointer {
	p := MapChunk(arenaBytes)
	if runtime.GOOS == "linux" {
		// Advice only: a kernel built without huge pages refuses it.
		_ = unix.Madvise(unsafe.Slice((*byte)(p), arenaBytes), noHugePage)
	}
	return p
}

// UnmapChunk gives back what MapChunk(n) returned, or its end. No pointer into
// it may be used afterwards. A process that has as many mappings as the system
// allows can't take one out of the middle of another; then the memory goes and
// the addresses stay.
func UnmapChunk(p unsafe.Pointer, n int) {
	switch err := unix.MunmapPtr(p, uintptr(wholePages(n))); {
	case errors.Is(err, unix.ENOMEM):
		giveBack(p, wholePages(n))
	case err != nil:
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
