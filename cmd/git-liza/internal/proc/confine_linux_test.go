package proc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/internal/gittest"
)

// An attempt is what a command tries; args are those of the row.
type attempt func(args ...string) error

func try(call uintptr, args ...uintptr) error {
	args = append(args, 0, 0, 0, 0, 0, 0)
	if _, _, errno := unix.Syscall6(call, args[0], args[1], args[2], args[3], args[4], args[5]); errno != 0 {
		return errno
	}
	return nil
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

func ends(args ...string) error { return syscall.Kill(number(args[0]), syscall.SIGUSR1) }

func opens(family, kind, protocol int) attempt {
	return func(...string) error {
		fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
}

// begins starts a program with attributes.
func begins(with syscall.SysProcAttr) attempt {
	return func(...string) error {
		c := exec.Command("/bin/true")
		c.SysProcAttr = &with
		return c.Run()
	}
}

// newTerminal is the side of a new terminal on which a program is watched, and its number.
func newTerminal() (*os.File, int, error) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	return f, n, errors.Join(err, unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0))
}

// leftOpen is a descriptor that programs inherit, as from a user's shell.
const leftOpen = 99

// attempts are rows of the corpus, each with its error in a domain. Unconfined each
// succeeds, or the row shows nothing.
var attempts = map[string]struct {
	try   attempt
	full  syscall.Errno // 0 if it succeeds there too
	files syscall.Errno // before Landlock 6
}{
	"reads its worktree":  {func(a ...string) error { _, err := os.ReadFile("own"); return err }, 0, 0},
	"writes its worktree": {func(a ...string) error { return os.WriteFile("new", nil, 0o600) }, 0, 0},
	"moves between its folders": {func(a ...string) error {
		return errors.Join(os.MkdirAll("sub", 0o700), os.Rename("own", "sub/own"), os.Rename("sub/own", "own"))
	}, 0, 0},
	"reads what is given":     {func(a ...string) error { _, err := os.ReadFile(a[1] + "/given/file"); return err }, 0, 0},
	"writes what it may read": {func(a ...string) error { return os.WriteFile(a[1]+"/given/file", nil, 0o600) }, unix.EACCES, unix.EACCES},
	"reads a key":             {func(a ...string) error { _, err := os.ReadFile(a[1] + "/key"); return err }, unix.EACCES, unix.EACCES},
	"lists a folder":          {func(a ...string) error { _, err := os.ReadDir(a[1]); return err }, unix.EACCES, unix.EACCES},
	"reads a key by a link": {func(a ...string) error {
		_ = os.Symlink(a[1]+"/key", "link")
		_, err := os.ReadFile("link")
		return err
	}, unix.EACCES, unix.EACCES},
	"reads a key by /proc": {func(a ...string) error { _, err := os.ReadFile("/proc/self/root" + a[1] + "/key"); return err }, unix.EACCES, unix.EACCES},
	"writes a hook":        {func(a ...string) error { return os.WriteFile(a[1]+"/hook", nil, 0o700) }, unix.EACCES, unix.EACCES},
	"removes a file":       {func(a ...string) error { return os.Remove(a[1] + "/gone") }, unix.EACCES, unix.EACCES},
	"truncates a file":     {func(a ...string) error { return os.Truncate(a[1]+"/key2", 0) }, unix.EACCES, unix.EACCES},
	"links a file":         {func(a ...string) error { _ = os.Remove("hard"); return os.Link(a[1]+"/key2", "hard") }, unix.EXDEV, unix.EXDEV},
	"renames a file":       {func(a ...string) error { return os.Rename(a[1]+"/moved", "moved") }, unix.EACCES, unix.EACCES},
	"moves its worktree": {func(a ...string) error {
		wd, _ := os.Getwd()
		return errors.Join(os.Rename(wd, wd+"2"), os.Rename(wd+"2", wd))
	}, unix.EACCES, unix.EACCES},
	"signals its supervisor": {ends, unix.EPERM, 0},
	"reads its environment":  {func(a ...string) error { _, err := os.ReadFile("/proc/" + a[0] + "/environ"); return err }, unix.EACCES, unix.EACCES},
	"reads its memory":       {func(a ...string) error { f, err := os.Open("/proc/" + a[0] + "/mem"); f.Close(); return err }, unix.EACCES, unix.EACCES},
	"reads its memory by a call": {func(a ...string) error {
		far := unix.RemoteIovec{Base: 1, Len: 1}
		near := [1]byte{}
		_, err := unix.ProcessVMReadv(number(a[0]), []unix.Iovec{{Base: &near[0], Len: 1}}, []unix.RemoteIovec{far}, 0)
		if errors.Is(err, unix.EFAULT) {
			return nil // it may, but nothing is there
		}
		return err
	}, unix.EPERM, unix.EPERM},
	"traces it": {func(a ...string) error { return unix.PtraceSeize(number(a[0])) }, unix.EPERM, unix.EPERM},
	"takes a file of it": {func(a ...string) error {
		fd, err := unix.PidfdOpen(number(a[0]), 0)
		if err == nil {
			_, err = unix.PidfdGetfd(fd, 0, 0)
		}
		return err
	}, unix.EPERM, unix.EPERM},
	"lists its files": {func(a ...string) error { _, err := os.Readlink("/proc/" + a[0] + "/fd/0"); return err }, unix.EACCES, unix.EACCES},
	"makes it slow": {func(a ...string) error {
		err := unix.Setpriority(unix.PRIO_PROCESS, number(a[0]), 19)
		if os.Geteuid() == 0 && errors.Is(err, unix.EPERM) {
			return nil // root without capabilities may not, others may
		}
		return err
	}, 0, 0},
	"signals a sibling":                  {func(a ...string) error { return ends(a[3]) }, unix.EPERM, 0},
	"reads the environment of a sibling": {func(a ...string) error { _, err := os.ReadFile("/proc/" + a[3] + "/environ"); return err }, unix.EACCES, unix.EACCES},
	"limits a sibling": {func(a ...string) error {
		return try(unix.SYS_PRLIMIT64, uintptr(number(a[3])), unix.RLIMIT_CORE, 0, uintptr(unsafe.Pointer(&unix.Rlimit{})))
	}, unix.EPERM, unix.EPERM},
	"limits it": {func(a ...string) error {
		return try(unix.SYS_PRLIMIT64, uintptr(number(a[0])), unix.RLIMIT_CORE, 0, uintptr(unsafe.Pointer(&unix.Rlimit{})))
	}, unix.EPERM, unix.EPERM},
	"limits itself":                 {func(a ...string) error { return unix.Getrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}) }, 0, 0},
	"connects by a path":            {func(a ...string) error { c, err := net.Dial("unix", a[1]+"/socket"); closeAll(c); return err }, unix.EPERM, unix.EPERM},
	"connects to a name":            {func(a ...string) error { c, err := net.Dial("unixpacket", "@"+a[2]); closeAll(c); return err }, unix.EPERM, 0},
	"connects to packets by a path": {func(a ...string) error { c, err := net.Dial("unixpacket", a[1]+"/packets"); closeAll(c); return err }, 0, 0}, // as to the broker, which asks for a token
	"connects to a name as of X11":  {func(a ...string) error { c, err := net.Dial("unix", "@"+a[2]); closeAll(c); return err }, unix.EPERM, unix.EPERM},
	"reaches a service by TCP":      {func(a ...string) error { c, err := net.Dial("tcp", a[4]); closeAll(c); return err }, 0, 0},
	"reaches a service by UDP": {func(a ...string) error {
		c, err := net.Dial("udp", a[4])
		if err == nil {
			_, err = c.Write([]byte("x"))
			closeAll(c)
		}
		return err
	}, 0, 0},
	"reaches a service by MPTCP": {opens(unix.AF_INET, unix.SOCK_STREAM, 262), unix.EPERM, unix.EPERM},
	"changes a mode":             {func(a ...string) error { return os.Chmod(a[1]+"/key2", 0o644) }, 0, 0},
	"sees that a file is there":  {func(a ...string) error { _, err := os.Stat(a[1] + "/key"); return err }, 0, 0},
	"has a pair of sockets":      {func(a ...string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }, 0, 0},
	"has a socket of packets":    {opens(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0), 0, 0},
	"has a socket of datagrams":  {opens(unix.AF_UNIX, unix.SOCK_DGRAM, 0), unix.EPERM, unix.EPERM},
	"has a pair of datagrams":    {func(a ...string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0); return err }, unix.EPERM, unix.EPERM},
	"has users of its own":       {begins(syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}), unix.EPERM, unix.EPERM},
	"has mounts of its own":      {begins(syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}), unix.EPERM, unix.EPERM},
	"has processes of its own":   {begins(syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID}), unix.EPERM, unix.EPERM},
	"has users, by a call":       {begins(syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWUSER}), unix.EPERM, unix.EPERM},
	"has mounts, by a call":      {begins(syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}), unix.EPERM, unix.EPERM},
	"has a root of its own":      {begins(syscall.SysProcAttr{Chroot: "/"}), unix.EPERM, unix.EPERM},
	"becomes who a program belongs to": {func(...string) error {
		set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		if set != 0 {
			return unix.EPERM
		}
		return err
	}, unix.EPERM, unix.EPERM},
	"reads what was left open": {func(a ...string) error { _, err := unix.Read(leftOpen, make([]byte, 1)); return err }, unix.EBADF, unix.EBADF},
	"has a terminal of its own": {func(...string) error {
		f, _, err := newTerminal()
		if err == nil {
			defer f.Close()
			_, err = unix.IoctlRetInt(int(f.Fd()), unix.TIOCGPTPEER)
		}
		return err
	}, unix.EACCES, unix.EACCES}, // as it would another one of the user, whose input it could read
	"opens a terminal by its path": {func(...string) error {
		f, n, err := newTerminal()
		if err != nil {
			return err
		}
		defer f.Close()
		peer, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
		peer.Close()
		return err
	}, unix.EACCES, unix.EACCES},
	"removes a queue": {func(a ...string) error {
		name, _ := unix.BytePtrFromString(a[2][len(a[2])-20:])
		_ = try(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
		return try(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(name)))
	}, unix.EPERM, unix.EPERM},
	"has a socket of another kind": {opens(unix.AF_PACKET, unix.SOCK_RAW, 0), unix.EPERM, unix.EPERM},
	"serves on loopback": {func(a ...string) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		closeAll(c)
		return err
	}, 0, 0},
	"has a ring": {func(a ...string) error { return try(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&[120]byte{}))) }, unix.ENOSYS, unix.ENOSYS},
	"calls by numbers of another architecture": {callsBy32Bits, unix.ENOSYS, unix.ENOSYS},
	"has a key": {func(a ...string) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return err
	}, unix.EPERM, unix.EPERM},
}

// callsBy32Bits runs a program of 32 bits that makes a socket of UNIX, and ends with 0 if it has it.
func callsBy32Bits(...string) error {
	if runtime.GOARCH != "amd64" {
		return unix.ENOEXEC
	}
	code := []byte{0xb8, 0x67, 1, 0, 0, 0xbb, 1, 0, 0, 0, 0xb9, 1, 0, 0, 0, 0x31, 0xd2, 0xcd, 0x80, // socket(AF_UNIX, SOCK_STREAM, 0)
		0xc1, 0xe8, 31, 0x89, 0xc3, 0xb8, 1, 0, 0, 0, 0xcd, 0x80, 0x0f, 0x0b} // exit(result < 0), or an invalid instruction
	const start, header = 0x08048000, 52 + 32
	var elf bytes.Buffer
	elf.WriteString("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	write := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&elf, binary.LittleEndian, v)
		}
	}
	write(uint16(2), uint16(3), uint32(1), uint32(start+header), uint32(52), uint32(0), uint32(0), uint16(52), uint16(32), uint16(1), uint16(0), uint16(0), uint16(0))
	write(uint32(1), uint32(0), uint32(start), uint32(start), uint32(header+len(code)), uint32(header+len(code)), uint32(5), uint32(4096))
	elf.Write(code)
	if err := os.WriteFile("program", elf.Bytes(), 0o700); err != nil {
		return err
	}
	err := exec.Command("./program").Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return unix.ENOSYS
	}
	return err
}

func closeAll(c net.Conn) {
	if c != nil {
		c.Close()
	}
}

// tryAttempt ends this process with the error of an attempt, as an exit code.
func tryAttempt(name string) {
	err := attempts[name].try(strings.Split(os.Getenv("PROC_TEST_ARGS"), ",")...)
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		os.Exit(int(errno))
	case err != nil:
		println(err.Error())
		os.Exit(255)
	}
	os.Exit(0)
}

func TestAttemptsInADomain(t *testing.T) {
	t.Parallel()
	state := proc.Confinement()
	if state == proc.Unconfined {
		t.Skip("SKIPPED: this kernel has no Landlock 3")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	require.NoError(t, unix.Dup3(int(null.Fd()), leftOpen, 0))
	for name, row := range attempts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(own, "own"), nil, 0o600))
			outside, args := newTargets(t, strings.HasSuffix(name, " a sibling"))
			run := func(d *proc.Domain) int {
				r, err := proc.Run(context.Background(), proc.Command{Path: self, Dir: own, Bound: true, Domain: d,
					Env: []string{"PROC_TEST_ATTEMPT=" + name, "PROC_TEST_ARGS=" + strings.Join(args, ",")}})
				require.NoError(t, err)
				t.Log(r.Excerpt)
				return r.Code
			}
			got := run(&proc.Domain{Read: []string{self, filepath.Join(outside, "given")}, Write: []string{own}})
			free := run(nil)
			switch errno := syscall.Errno(free); {
			case errno == unix.ENOEXEC:
				t.Skip("SKIPPED: this machine runs no program of 32 bits")
			case (errno == unix.EPERM || errno == unix.EACCES) && os.Geteuid() != 0:
				t.Skip("SKIPPED: this is for root alone")
			}
			require.Zero(t, free, "unconfined")
			want := row.full
			if state == proc.ConfinedFiles {
				want = row.files
			}
			require.Equal(t, want, syscall.Errno(got))
		})
	}
}

// newTargets makes what attempts are after: files outside, and the arguments of all.
func newTargets(t *testing.T, sibling bool) (outside string, args []string) {
	t.Helper()
	outside = t.TempDir()
	for _, dir := range []string{outside, filepath.Join(outside, "given")} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
		for _, file := range []string{"file", "key", "key2", "gone", "moved"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("secret"), 0o600))
		}
	}
	hidden := strings.ReplaceAll(outside, "/", "-")
	for _, at := range [][2]string{{"unix", filepath.Join(outside, "socket")}, {"unixpacket", filepath.Join(outside, "packets")}, {"unixpacket", "@" + hidden}, {"unix", "@" + hidden}, {"tcp", "127.0.0.1:0"}} {
		l, err := net.Listen(at[0], at[1])
		require.NoError(t, err)
		t.Cleanup(func() { l.Close() })
		args = []string{l.Addr().String()}
	}
	other := "0"
	if sibling {
		other = siblingOf(t)
	}
	return outside, append([]string{strconv.Itoa(victimOf(t)), outside, hidden, other}, args...)
}

// siblingOf is a process in a domain of its own, which has done what it can of signals.
func siblingOf(t *testing.T) string {
	t.Helper()
	dir, path, args := t.TempDir(), "", []string(nil)
	path, args = proc.Shell("trap : USR1; echo $$ >made; mv made pid; while :; do sleep 1; done")
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		_, _ = proc.Run(ctx, proc.Command{Path: path, Args: args, Dir: dir, Env: os.Environ(), Domain: &proc.Domain{Write: []string{dir}}})
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
	var pid []byte
	gittest.Until(t, "the sibling", func() bool {
		var err error
		pid, err = os.ReadFile(filepath.Join(dir, "pid"))
		return err == nil
	})
	return strings.TrimSpace(string(pid))
}

// victimOf is a process outside of the domain, which has done what it can of signals.
func victimOf(t *testing.T) int {
	t.Helper()
	in, hold, err := os.Pipe()
	require.NoError(t, err)
	said, out, err := os.Pipe()
	require.NoError(t, err)
	path, args := proc.Shell("trap : USR1; echo begun; cat")
	path, err = exec.LookPath(path)
	require.NoError(t, err)
	p, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{Files: []*os.File{in, out, nil}})
	require.NoError(t, err)
	_, err = said.Read(make([]byte, 6))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = p.Kill()
		_, _ = p.Wait()
		for _, f := range []*os.File{in, hold, said, out} {
			f.Close()
		}
	})
	return p.Pid
}
