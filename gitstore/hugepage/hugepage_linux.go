// Package hugepage has the kernel give out the memory of large boards in large pages. A
// command that reads thousands of tasks fills some megabytes once and ends; most of what
// that costs is the kernel's, which hands memory out by 4 KiB unless it is asked.
package hugepage

import (
	"reflect"
	"syscall"
)

// arena is the size of the areas in which Go reserves its heap, and to which they are
// aligned, on 64 bits.
const arena = 64 << 20

// madvHugepage is MADV_HUGEPAGE of madvise(2).
const madvHugepage = 14

// few is the number of bytes for which large pages are not worth the call.
const few = 1 << 20

// Ask asks for large pages in the areas of the heap that Go fills at present, if so many
// bytes were allocated there and are not filled yet. Memory by which the heap grows later
// is not among them. There is no error, since pages of any size do.
func Ask(size int) {
	if size < few {
		return
	}
	at := reflect.ValueOf(new([64]byte)).Pointer() &^ (arena - 1)
	// The heap begins at random: where it begins near the end of an area, what is large lies
	// in the next one. Where nothing is mapped, nothing is asked for.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, 2*arena, madvHugepage)
}
