package gittest

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// unlockTerminal returns the name of the end of a new pseudo-terminal that programs open.
func unlockTerminal(keys *os.File) (string, error) {
	const longest = 128 // as TIOCPTYGNAME says of itself
	var name [longest]byte
	for _, request := range []struct{ name, at uintptr }{
		{unix.TIOCPTYGRANT, 0}, {unix.TIOCPTYUNLK, 0}, {unix.TIOCPTYGNAME, uintptr(unsafe.Pointer(&name[0]))},
	} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, keys.Fd(), request.name, request.at); errno != 0 {
			return "", errno
		}
	}
	return unix.ByteSliceToString(name[:]), nil
}
