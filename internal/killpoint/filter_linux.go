package killpoint

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An operation is a system call that is counted.
type operation struct {
	nr    uint32
	name  string
	path  int // the argument that names the file, or is its descriptor if opened
	flags int // the argument that has open's flags, 0 if the call always counts

	opened bool
}

// operations are the system calls that change files and folders, and those that execute
// a program. A write counts if it goes to a file with a name.
var operations = append([]operation{
	{nr: unix.SYS_OPENAT, name: "open", path: 1, flags: 2},
	{nr: unix.SYS_RENAMEAT2, name: "rename", path: 3},
	{nr: unix.SYS_LINKAT, name: "link", path: 3},
	{nr: unix.SYS_UNLINKAT, name: "unlink", path: 1},
	{nr: unix.SYS_MKDIRAT, name: "mkdir", path: 1},
	{nr: unix.SYS_SYMLINKAT, name: "symlink", path: 2},
	{nr: unix.SYS_EXECVE, name: "execve", path: 0},
	{nr: unix.SYS_WRITE, name: "write", opened: true},
	{nr: unix.SYS_PWRITE64, name: "write", opened: true},
	{nr: unix.SYS_FTRUNCATE, name: "truncate", opened: true},
	{nr: unix.SYS_COPY_FILE_RANGE, name: "write", path: 2, opened: true},
}, older...)

// syncs are the system calls that make files durable.
var syncs = []operation{
	{nr: unix.SYS_FSYNC, name: "fsync", opened: true},
	{nr: unix.SYS_FDATASYNC, name: "fsync", opened: true},
	{nr: unix.SYS_SYNCFS, name: "syncfs", opened: true},
}

// startVar makes a test binary install the filter and execute the command; syncsVar, if
// set too, has the filter stop at syncs.
const (
	startVar = "KILLPOINT_START"
	syncsVar = "KILLPOINT_SYNCS"
)

// init runs in the test binary that is executed again: a filter of system calls can be
// installed only by the process that it is for.
func init() {
	path, ok := os.LookupEnv(startVar)
	if !ok {
		return
	}
	runtime.LockOSThread()
	list := operations
	if os.Getenv(syncsVar) != "" {
		list = append(list, syncs...)
	}
	os.Unsetenv(startVar)
	os.Unsetenv(syncsVar)
	err := installFilter(list)
	if err == nil {
		err = unix.Exec(path, os.Args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "killpoint:", err)
	os.Exit(127)
}

// installFilter makes the kernel stop this thread, and its children, at the operations
// alone: a stop at every system call would be far slower.
func installFilter(list []operation) error {
	const nrAt, argsAt = 0, 16 // in struct seccomp_data
	load := func(at int) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: uint32(at)}
	}
	end := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	jump := func(test, k uint32, unless uint8) unix.SockFilter {
		return unix.SockFilter{Code: uint16(unix.BPF_JMP | test | unix.BPF_K), Jf: unless, K: k}
	}
	filter := []unix.SockFilter{load(nrAt)}
	for _, op := range list {
		if op.flags == 0 {
			filter = append(filter, jump(unix.BPF_JEQ, op.nr, 1), end(unix.SECCOMP_RET_TRACE))
			continue
		}
		filter = append(filter, jump(unix.BPF_JEQ, op.nr, 4),
			load(argsAt+8*op.flags), jump(unix.BPF_JSET, unix.O_CREAT|unix.O_TRUNC, 1), end(unix.SECCOMP_RET_TRACE), end(unix.SECCOMP_RET_ALLOW))
	}
	filter = append(filter, end(unix.SECCOMP_RET_ALLOW))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
