package gittest

import (
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// OnKernel runs start on a thread to which the kernel says that it has this version of Landlock,
// with these corrections of it (landlock(7)). Whatever start starts is told the same. The error says
// that the kernel cannot be had to say so.
func OnKernel(version, errata int, start func()) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // and the thread ends with this function
		questions, err := watchLandlock()
		if err == nil {
			go answerLandlock(questions, version, errata)
			start()
		}
		ended <- err
	}()
	return <-ended
}

// watchLandlock has this thread, and its descendants, ask a new descriptor where they ask the
// kernel for its version of Landlock.
func watchLandlock() (int, error) {
	const number, flags = 0, 16 + 2*8 // where a call's number and its third argument are, in bytes (seccomp(2))
	raw, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: number, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_LANDLOCK_CREATE_RULESET, SkipFalse: 3},
		bpf.LoadAbsolute{Off: flags, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF}, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})
	if err != nil {
		return -1, err
	}
	if unix.Geteuid() != 0 {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return -1, err
		}
	}
	program := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// answerLandlock answers as a kernel with a version of Landlock does, until nobody can ask.
func answerLandlock(questions, version, errata int) {
	defer unix.Close(questions)
	for {
		ready := []unix.PollFd{{Fd: int32(questions), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR || ready[0].Revents&^unix.POLLIN != 0 {
			return
		}
		var asked struct { // seccomp_notif
			id         uint64
			pid, flags uint32
			call, arch uint32
			at         uint64
			args       [6]uint64
		}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(questions), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&asked)))
		if errno != 0 {
			continue // who asked has ended
		}
		reply := struct { // seccomp_notif_resp
			id           uint64
			value        int64
			errno, flags int32
		}{id: asked.id}
		switch {
		case asked.args[2] == unix.LANDLOCK_CREATE_RULESET_VERSION && version > 0:
			reply.value = int64(version)
		case asked.args[2] != unix.LANDLOCK_CREATE_RULESET_VERSION && errata > 0:
			reply.value = int64(errata)
		default:
			reply.errno = -int32(unix.EOPNOTSUPP)
		}
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(questions), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&reply)))
	}
}
