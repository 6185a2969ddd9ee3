package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// shimName is the name of this program on its command line while it restricts itself.
const shimName = "git-liza: confining a command"

// systemReads are the folders of the system that a domain reads, and systemWrites are the
// devices that programs write to. What a system lacks of them is left out.
var (
	systemReads = []string{"/bin", "/etc", "/etc/resolv.conf", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/mnt/wsl/resolv.conf", "/opt", "/proc", "/run/NetworkManager/resolv.conf", "/run/netconfig",
		"/run/resolvconf", "/run/systemd/resolve", "/sbin", "/snap", "/sys", "/usr", "/var/lib/ca-certificates", "/var/lib/dpkg", "/var/lib/gems", "/var/lib/ghc", "/var/lib/rpm", "/var/lib/texmf"}
	systemWrites = []string{"/dev/full", "/dev/null", "/dev/ptmx", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"}
)

// What is handled of Landlock: all rights to files of its version 5, and from version 6 on
// signals and abstract sockets (landlock(7)). Where ports are named, connections by TCP.
const (
	landlockFiles  = landlock.AccessFSSet(1<<16 - 1)
	landlockScopes = landlock.ScopedSet(1<<2 - 1)

	landlockConnects = landlock.AccessNetSet(1 << 1) // from version 4 on
)

// Confinement is what the kernel can keep a command from.
func Confinement() Confined {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	errata, _, none := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_ERRATA)
	policy := callPolicy(false, false)
	_, err := policy.Assemble() // not for each architecture
	switch {
	case errno != 0 || version < 3 || err != nil || !seccomp.Supported():
		return Unconfined
	case version < 6 || none != 0 || errata&2 == 0: // a kernel that stops signals between a program's own threads too is asked to stop none
		return ConfinedFiles
	}
	return ConfinedFully
}

// orders is a file with what a shim reads: this program, which restricts itself to the
// domain and becomes the command.
func (w guardSpec) orders() (*os.File, error) {
	text, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("orders", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "orders")
	if _, err := f.WriteAt(text, 0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func init() {
	if len(os.Args) > 0 && os.Args[0] == shimName {
		fmt.Fprintln(os.Stderr, "git-liza: confine:", runShim(os.NewFile(3, "orders")))
		syscall.Exit(126)
	}
}

// runShim becomes the command of the orders. It returns only if it cannot.
func runShim(orders *os.File) error {
	runtime.LockOSThread()
	var w guardSpec
	text, err := io.ReadAll(io.NewSectionReader(orders, 0, 64<<20))
	if err == nil {
		err = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) // also what the user's shell left open
	}
	if err == nil {
		err = json.Unmarshal(text, &w)
	}
	if err == nil && w.Domain == nil {
		err = errors.New("no domain is given")
	}
	if err == nil {
		err = dropCapabilities()
	}
	if err == nil {
		err = w.Domain.enter()
	}
	if err != nil {
		return err
	}
	return &os.PathError{Op: "exec", Path: string(w.Path), Err: syscall.Exec(string(w.Path), converted[string](w.Args), converted[string](w.Env))}
}

// dropCapabilities leaves the thread no capability, also of those that root has again after
// it executes a program, but for that to write files of other users: in a container a clone often has
// another owner. Where to, the domain says.
func dropCapabilities() error {
	for last := range uintptr(64) {
		if last == unix.CAP_DAC_OVERRIDE {
			continue
		}
		has, _, errno := unix.Syscall(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, last, 0)
		if errno == unix.EINVAL {
			break // the kernel knows no more of them
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, last, 0, 0, 0); has == 1 && err != nil && os.Geteuid() == 0 {
			return fmt.Errorf("capability %d: %w", last, err)
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var has [2]unix.CapUserData
	if err := unix.Capget(&header, &has[0]); err != nil {
		return err
	}
	kept := has[0].Permitted & (1 << unix.CAP_DAC_OVERRIDE)
	has = [2]unix.CapUserData{{Effective: kept, Permitted: kept}}
	return unix.Capset(&header, &has[0])
}

// enter restricts this process to the domain: first its files, then its calls.
func (d *domainSpec) enter() error {
	var rules []landlock.Rule
	for _, path := range append(systemReads, converted[string](d.Read)...) {
		rules = append(rules, rulesFor(path, landlock.RODirs, landlock.ROFiles)...)
	}
	for _, path := range append(systemWrites, converted[string](d.Write)...) {
		rules = append(rules, rulesFor(path, landlock.RWDirs, landlock.RWFiles)...)
	}
	config := landlock.Config{HandledAccessFS: landlockFiles, Scoped: landlockScopes}
	if d.Ports != nil {
		config.HandledAccessNet = landlockConnects
	}
	for _, port := range d.Ports {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	if err := config.BestEffort().Restrict(rules...); err != nil {
		return err
	}
	return loadFilter(callPolicy(d.Sockets, d.Ports != nil))
}

// loadFilter has the kernel apply a policy to this process. A call by the numbers of another
// architecture, which the policy cannot know, is none.
func loadFilter(policy seccomp.Policy) error {
	own, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	list, err := policy.Assemble()
	if err != nil {
		return err
	}
	const archOffset = 4 // of seccomp_data, in bytes (seccomp(2))
	raw, err := bpf.Assemble(append([]bpf.Instruction{bpf.LoadAbsolute{Off: archOffset, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(own.ID), SkipTrue: 1}, bpf.RetConstant{Val: uint32(refusedBy(unix.ENOSYS))}}, list...))
	if err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return &os.PathError{Op: "seccomp", Path: "filter", Err: errno}
	}
	return nil
}

func refusedBy(errno syscall.Errno) seccomp.Action {
	return seccomp.ActionErrno | seccomp.Action(errno)
}

// rulesFor is the rule for a file or a folder with all below it, none for what this user does
// not reach anyhow.
func rulesFor(path string, dir, file func(...string) landlock.FSRule) []landlock.Rule {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		return []landlock.Rule{dir(path).WithRefer().WithIoctlDev().IgnoreIfMissing()}
	}
	return []landlock.Rule{file(path).WithIoctlDev().IgnoreIfMissing()}
}

// mptcp is the protocol that TCP rules and filters do not know.
const mptcp = 262

// callPolicy refuses calls that lead round Landlock. Before its version 9 a process may connect
// to any socket whose path it can name, such as docker's, so the only sockets of that
// family are those of sequential packets, which no such service speaks, and pairs that can send
// to no other. prlimit ended processes outside of a domain. With users of its own a process could
// prepare mounts, which removed folders where it may write nothing. Rings do calls that no filter
// sees, and so does clone3, whose flags lie in memory: where it is none, programs take clone.
func callPolicy(sockets, ports bool) seccomp.Policy {
	named := func(name string, conditions ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: conditions}
	}
	first := func(op seccomp.Operation, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: 0, Operation: op, Value: value}
	}
	conditions := []seccomp.NameWithConditions{
		named("prlimit64", seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual}),
		named("socket", first(seccomp.NotEqual, unix.AF_UNIX), first(seccomp.NotEqual, unix.AF_INET), first(seccomp.NotEqual, unix.AF_INET6), first(seccomp.NotEqual, unix.AF_NETLINK)),
		named("socket", seccomp.Condition{Argument: 2, Operation: seccomp.Equal, Value: mptcp}),
		named("unshare", first(seccomp.BitsSet, unix.CLONE_NEWUSER)),
		named("clone", first(seccomp.BitsSet, unix.CLONE_NEWUSER)),
	}
	if !sockets {
		conditions = append(conditions, named("socket", first(seccomp.Equal, unix.AF_UNIX), seccomp.Condition{Argument: 1, Operation: seccomp.BitsNotSet, Value: unix.SOCK_RDM}),
			named("socketpair", seccomp.Condition{Argument: 1, Operation: seccomp.BitsSet, Value: unix.SOCK_DGRAM}))
	}
	if ports { // what is sent with the first packet of a connection asks Landlock nothing
		for call, at := range map[string]int{"sendto": 3, "sendmsg": 2, "sendmmsg": 3} {
			conditions = append(conditions, named(call, seccomp.Condition{Argument: uint32(at), Operation: seccomp.BitsSet, Value: unix.MSG_FASTOPEN}))
		}
	}
	return seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Action: refusedBy(unix.ENOSYS), Names: []string{"io_uring_setup", "io_uring_enter", "io_uring_register", "clone3"}},
		{Action: refusedBy(unix.EPERM), Names: []string{"add_key", "keyctl", "request_key", "mq_unlink"},
			NamesWithCondtions: conditions},
	}}
}
