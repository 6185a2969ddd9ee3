package proc

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// wards are the guards that are children of this process. It is locked while one of them
// starts or is reaped, so that a process that is none of them is never taken for one.
var wards = struct {
	sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// begin starts the guard. What is left of it when it is killed comes to this process.
func (k *guarded) begin() error {
	wards.Lock()
	defer wards.Unlock()
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err == nil {
		err = k.guard.Start()
	}
	if err == nil {
		wards.pids[k.guard.Process.Pid] = true
	}
	return err
}

// wait waits once for the end of the guard and reports whether a signal ended it. Then
// killed is closed, and all that was left of it has ended.
func (k *guarded) wait() bool {
	_ = awaitExit(k.guard.Process.Pid) // the kernel has given its orphans away by then
	wards.Lock()
	_ = k.guard.Wait()
	delete(wards.pids, k.guard.Process.Pid)
	wards.Unlock()
	status, ok := k.guard.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() {
		return false
	}
	for late := time.Now().Add(killLimit); endLeftovers() && time.Now().Before(late); {
	}
	close(k.killed)
	return true
}

// endLeftovers kills once what killed guards have left to this process: its children in
// other terminal sessions that are no guards. A git that talks to a remote just then is
// taken for one, and tried again. It reports whether it found any: others may have come.
func endLeftovers() (found bool) {
	wards.Lock()
	defer wards.Unlock()
	own, _ := unix.Getsid(0)
	eachDescendant(os.Getpid(), func(p process) {
		session, err := unix.Getsid(p.pid)
		if err != nil || session == own || p.parent != os.Getpid() || wards.pids[p.pid] {
			return
		}
		_ = p.signal(0, syscall.SIGSTOP)
		killDescendants(p.pid)
		_ = p.signal(0, syscall.SIGKILL)
		if syscall.Kill(p.pid, syscall.SIGKILL) == nil { // it may have left that group meanwhile
			found = true
			_, _ = syscall.Wait4(p.pid, nil, 0, nil) // its children come to this process by then
		}
	})
	return found
}
