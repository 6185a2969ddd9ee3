package killpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Trace runs a command and returns when all processes that it started have ended, those
// in the background too.
func Trace(t testing.TB, r Run) (ended Ended) {
	t.Helper()
	var err error
	withoutChildren(func() { ended, err = traceRun(r) })
	if err != nil {
		t.Fatalf("%s: %v", r.Args[0], err)
	}
	return ended
}

// withoutChildren runs f on a thread that has no children. A tracer is a thread, and waits
// for the children of its own thread alone. Another goroutine may have started a
// process on this goroutine's thread, and waits for it.
func withoutChildren(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	children, _ := os.ReadFile("/proc/self/task/" + strconv.Itoa(unix.Gettid()) + "/children")
	if len(children) == 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() { // on another thread, since this one has a child
		defer close(done)
		withoutChildren(f)
	}()
	<-done
}

func traceRun(r Run) (Ended, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return Ended{}, err
	}
	said := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(reader)
		reader.Close()
		said <- text
	}()
	pid, err := startTracee(r, writer)
	writer.Close()
	if err != nil {
		return Ended{}, err
	}
	tr := &tracer{run: r, first: pid, known: map[int]*tracee{pid: {counted: r.Within == ""}}, early: map[int]bool{}}
	if err := tr.handleStops(); err != nil {
		return Ended{}, err
	}
	tr.ended.Output = string(<-said)
	return tr.ended, nil
}

// startTracee starts this binary again, stopped, to become the command.
func startTracee(r Run, out *os.File) (pid int, err error) {
	path, err := exec.LookPath(r.Args[0])
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	env := append(append([]string{}, r.Env...), startVar+"="+path)
	if r.Syncs {
		env = append(env, syncsVar+"=1")
	}
	return syscall.ForkExec(self, r.Args, &syscall.ProcAttr{
		Dir: r.Dir, Env: env,
		Files: []uintptr{null.Fd(), out.Fd(), out.Fd()},
		Sys:   &syscall.SysProcAttr{Ptrace: true, Setsid: true},
	})
}

// A tracee is a thread that the tracer knows.
type tracee struct {
	counted bool // its operations are counted
}

type tracer struct {
	run     Run
	first   int
	known   map[int]*tracee
	early   map[int]bool // stopped before the tracer saw their parent start them
	begun   bool         // the first process has become the command
	dying   bool         // all counted processes are to be killed
	options bool
	ended   Ended
}

// handleStops handles every stop until no tracee is left. It waits for tracees of this
// thread alone: the other tests of the binary have children too.
func (tr *tracer) handleStops() error {
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return err
		}
		switch {
		case status.Exited(), status.Signaled():
			delete(tr.known, pid)
			delete(tr.early, pid)
			if pid == tr.first {
				tr.ended.Code = status.ExitStatus()
			}
			if err := tr.resumeOrphans(); err != nil {
				return err
			}
		case status.Stopped():
			// A tracee that was killed meanwhile cannot be continued; its end will be
			// reported.
			if err := tr.handleStop(pid, status); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
		}
	}
}

func (tr *tracer) handleStop(pid int, status unix.WaitStatus) error {
	if !tr.options {
		tr.options = true
		err := unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACESECCOMP|unix.PTRACE_O_TRACEEXEC|
			unix.PTRACE_O_TRACEFORK|unix.PTRACE_O_TRACEVFORK|unix.PTRACE_O_TRACECLONE)
		if err != nil {
			return err
		}
		return unix.PtraceCont(pid, 0)
	}
	it := tr.known[pid]
	if it == nil {
		tr.early[pid] = true
		return tr.resumeOrphans() // otherwise it waits until its parent's start of it is seen
	}
	if tr.dying && it.counted {
		return unix.Kill(pid, unix.SIGKILL)
	}
	signal := status.StopSignal()
	if signal != unix.SIGTRAP || status.TrapCause() <= 0 {
		if signal == unix.SIGSTOP {
			signal = 0 // the first stop of a new thread
		}
		return unix.PtraceCont(pid, int(signal))
	}
	switch status.TrapCause() {
	case unix.PTRACE_EVENT_FORK, unix.PTRACE_EVENT_VFORK, unix.PTRACE_EVENT_CLONE:
		if err := tr.addChild(pid, it); err != nil {
			return err
		}
	case unix.PTRACE_EVENT_EXEC:
		tr.noteExec(pid, it)
	case unix.PTRACE_EVENT_SECCOMP:
		if tr.countOperation(pid, it) {
			return tr.killCommand(pid)
		}
	}
	return unix.PtraceCont(pid, 0)
}

// resumeOrphans resumes tracees whose parent was killed before the tracer saw it start them.
func (tr *tracer) resumeOrphans() error {
	for child := range tr.early {
		if tr.known[parentOf(child)] != nil {
			continue
		}
		if err := tr.resumeEarly(child, &tracee{counted: true}); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// parentOf returns the process that a thread belongs to or, for the first thread of a
// process, the parent process.
func parentOf(tid int) int {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/status")
	field := func(name string) int {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":\t")
		text, _, _ := strings.Cut(rest, "\n")
		n, _ := strconv.Atoi(text)
		return n
	}
	if process := field("Tgid"); process != tid {
		return process
	}
	return field("PPid")
}

// resumeEarly resumes a tracee that stopped before it was known, or kills it.
func (tr *tracer) resumeEarly(child int, it *tracee) error {
	tr.known[child] = it
	delete(tr.early, child)
	if tr.dying && it.counted {
		return unix.Kill(child, unix.SIGKILL)
	}
	return unix.PtraceCont(child, 0)
}

// addChild resumes a new thread, which may have stopped already.
func (tr *tracer) addChild(parent int, of *tracee) error {
	msg, err := unix.PtraceGetEventMsg(parent)
	if err != nil {
		return err
	}
	child := int(msg)
	if !tr.early[child] {
		tr.known[child] = &tracee{counted: of.counted}
		return nil
	}
	return tr.resumeEarly(child, &tracee{counted: of.counted})
}

func (tr *tracer) noteExec(pid int, it *tracee) {
	tr.begun = true
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if tr.run.Within != "" && bytes.Contains(bytes.ReplaceAll(line, []byte{0}, []byte{' '}), []byte(tr.run.Within)) {
		it.counted = true
	}
}

// countOperation counts an operation and reports whether it is the one to kill at.
func (tr *tracer) countOperation(pid int, it *tracee) bool {
	if !tr.begun || !it.counted || tr.ended.Killed {
		return false
	}
	what, ok := describeOperation(pid)
	if !ok {
		return false
	}
	tr.ended.Operations = append(tr.ended.Operations, what)
	return len(tr.ended.Operations) == tr.run.At
}

func (tr *tracer) killCommand(pid int) error {
	tr.ended.Killed = true
	if tr.run.Alone {
		return unix.Kill(pid, unix.SIGKILL)
	}
	tr.dying = true
	for other, it := range tr.known {
		if it.counted && tracedHere(other) {
			_ = unix.Kill(other, unix.SIGKILL)
		}
	}
	return nil
}

// tracedHere reports whether an id is still that of a tracee, and not of a later
// process: the end of a thread that another one of its process replaced is not
// reported.
func tracedHere(pid int) bool {
	status, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return strings.Contains(string(status), "\nTracerPid:\t"+strconv.Itoa(unix.Gettid())+"\n")
}

// syscallInfo is struct ptrace_syscall_info at a stop of the filter.
type syscallInfo struct {
	op   uint8
	_    [3]uint8
	arch uint32
	ip   uint64
	sp   uint64
	nr   uint64
	args [6]uint64
	data uint32
	_    uint32
}

// describeOperation reads which operation a stopped thread is about to make. It is false for a
// write to something that is not a file with a name.
func describeOperation(pid int) (what string, ok bool) {
	var info syscallInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return "", false
	}
	proc := "/proc/" + strconv.Itoa(pid)
	for _, op := range slices.Concat(operations, syncs) {
		if uint64(op.nr) != info.nr {
			continue
		}
		path := ""
		if op.opened {
			path, _ = os.Readlink(proc + "/fd/" + strconv.FormatUint(info.args[op.path], 10))
			if !filepath.IsAbs(path) || strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") {
				return "", false
			}
		} else {
			path = readString(proc, info.args[op.path])
		}
		line, _ := os.ReadFile(proc + "/cmdline")
		args := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		return fmt.Sprintf("%s %s %s", strings.Join(args[:min(len(args), 4)], " "), op.name, path), true
	}
	return "", false
}

// readString reads a string that ends in a zero byte from a process's memory.
func readString(proc string, at uint64) string {
	mem, err := os.Open(proc + "/mem")
	if err != nil {
		return ""
	}
	defer mem.Close()
	buf := make([]byte, 4096)
	n, _ := mem.ReadAt(buf, int64(at))
	text, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(text)
}
