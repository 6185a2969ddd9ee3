package launcher

import (
	"cmp"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Session is what a container is made for.
type Session struct {
	Name       string   // of the container
	Board      string   // the id of the board
	Generation string   // of the registration of the agent, for the record
	Dir        string   // the worktree
	Writes     bool     // it may write the worktree
	Common     string   // the common git directory
	Moves      bool     // it commits and makes moves itself, so it may write git's data
	Folders    []string // of the provider
	Files      []string // which it may only read
	Self       string   // this git-liza, which is a command there, too
}

// A mount is a file or folder that a container has.
type mount struct {
	path   string
	writes bool
	target string // its path there, "" for the same as here
}

// mounts are the files and folders of the session that exist, and the files that variables
// of its environment name, such as certificates. A later one may lie in an earlier one.
func (s Session) mounts(env []string) ([]mount, error) {
	list := []mount{{path: s.Common, writes: s.Moves}}
	stores, err := git.Stores(filepath.Join(s.Common, "objects"))
	if err != nil {
		return nil, err
	}
	for _, store := range slices.Backward(stores[:len(stores)-1]) { // the last is the clone's own
		list = append(list, mount{path: store})
	}
	if s.Moves {
		// What the commands of a session write there would run on this machine.
		for _, name := range []string{"hooks", "config", "config.worktree", layout.Private + "/hooks"} {
			list = append(list, mount{path: filepath.Join(s.Common, name)})
		}
	}
	list = append(list, mount{path: s.Dir, writes: s.Writes})
	for _, folder := range s.Folders {
		list = append(list, mount{path: folder, writes: true})
	}
	for _, file := range slices.Concat(s.Files, namedFiles(env)) {
		list = append(list, mount{path: file})
	}
	list = append(list, mount{path: s.Self, target: selfTarget})
	return slices.DeleteFunc(list, func(m mount) bool { _, err := os.Stat(m.path); return err != nil }), nil
}

// namedFiles are the files that are values of variables.
func namedFiles(env []string) (list []string) {
	for _, entry := range env {
		_, value, _ := strings.Cut(entry, "=")
		if info, err := os.Stat(value); filepath.IsAbs(value) && err == nil && info.Mode().IsRegular() && !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// selfTarget is in a folder that the PATH of every image names, so that git finds it.
const selfTarget = "/usr/local/bin/git-liza"

// arguments are those of the engine's program, for a command in a container. Values of
// variables are not among them: the engine's program hands its own on. Labels of SELinux
// would keep the container from the mounts, or would have to be changed there.
func (l Launcher) arguments(c proc.Command, s Session, mounts []mount) []string {
	args := []string{"run", "--rm", "--interactive", "--init", "--pull", "never", "--name", s.Name, "--label", "liza.board=" + s.Board,
		"--user", l.User, "--cap-drop", "all", "--security-opt", "no-new-privileges", "--security-opt", "label=disable",
		"--memory", l.Memory, "--memory-swap", l.Memory, "--pids-limit", strconv.Itoa(l.Processes), "--workdir", s.Dir}
	if l.isPodman() && os.Geteuid() != 0 {
		args = append(args, "--userns", "keep-id") // else the worktree would belong to another user there
	}
	for _, folder := range s.emptyFolders(c.Env) {
		args = append(args, "--tmpfs", folder+":exec,mode=1777")
	}
	for _, m := range mounts {
		args = append(args, "--mount", m.String())
	}
	for _, entry := range c.Env {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "PATH", "TMPDIR": // of this machine
		default:
			args = append(args, "--env", name)
		}
	}
	return append(append(args, "--entrypoint", c.Path, l.Image), c.Args...)
}

// emptyFolders are folders of this machine that are empty in the container but for what is
// mounted in them: the home, and what git liza keeps of keys and other sessions.
func (s Session) emptyFolders(env []string) (list []string) {
	if home := proc.Value(env, "HOME"); filepath.IsAbs(home) && filepath.Clean(home) != "/" {
		list = append(list, filepath.Clean(home))
	}
	if !s.Moves {
		list = append(list, filepath.Join(s.Common, layout.Private))
	}
	return list
}

// String is the mount as the engines read it.
func (m mount) String() string {
	fields := []string{"type=bind", "source=" + m.path, "target=" + cmp.Or(m.target, m.path)}
	if !m.writes {
		fields = append(fields, "readonly")
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // a builder takes everything
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
