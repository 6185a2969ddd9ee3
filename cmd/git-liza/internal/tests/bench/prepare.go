package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

//go:embed testdata/floor.sh testdata/queued.sh
var scripts embed.FS

const gitConfig = `[user]
	name = Ann Example
	email = ann@example.org
[init]
	defaultBranch = main
[gc]
	auto = 0
`

// prepare builds the programs and writes the scripts.
func (b *bench) prepare() error {
	if err := adopt(); err != nil {
		return err
	}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	home := filepath.Join(b.dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	b.environ = pinned(home)
	files := map[string]string{
		"home/.gitconfig": gitConfig,
		"empty/main.go":   "package main\n\nfunc main() {}\n",
		"empty/go.mod":    "module empty\n",
	}
	for _, name := range []string{"floor.sh", "queued.sh"} {
		text, err := scripts.ReadFile("testdata/" + name)
		if err != nil {
			return err
		}
		files[name] = string(text)
	}
	for name, text := range files {
		if err := write(b.path(name), text); err != nil {
			return err
		}
	}
	b.empty = b.path("empty/empty")
	if err := build(b.path("empty"), b.empty, "."); err != nil {
		return err
	}
	if b.program != "" {
		if filepath.Base(b.program) != "git-liza" {
			return fmt.Errorf("the hooks of a server look for git-liza on PATH, so -program needs a file of that name, not %s", filepath.Base(b.program))
		}
		b.program, err = filepath.Abs(b.program)
		return err
	}
	b.program = b.path("bin/git-liza")
	return build(b.source, b.program, "./cmd/git-liza")
}

// build compiles a program as the Makefile does, and copies it as make install does: what
// the linker wrote lies in smaller pages of memory, and takes a sixth longer to start.
func build(dir, to, what string, flags ...string) error {
	linked := to + ".linked"
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", linked}, flags...)
	c := exec.Command("go", append(args, what)...)
	c.Dir, c.Env = dir, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w: %s", what, err, out)
	}
	program, err := os.ReadFile(linked)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, program, 0o755), os.Remove(linked))
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

// machine describes what the numbers were measured on.
func (b *bench) machine() string {
	git, _ := b.output(command{args: []string{"git", "version"}})
	system, _ := b.output(command{args: []string{"uname", "-srm"}})
	disk, _ := b.output(command{args: []string{"stat", "-f", "-c", "%T", b.dir}})
	words := []string{fmt.Sprintf("%d × %s", runtime.NumCPU(), firstMatch("/proc/cpuinfo", `(?m)^model name\s*: (.*)$`, runtime.GOARCH)),
		firstMatch("/proc/meminfo", `(?m)^MemTotal:\s*(.*)$`, "?"), system, disk, git, runtime.Version(),
		"load " + firstMatch("/proc/loadavg", `^(\S+)`, "?")}
	return strings.Join(words, ", ")
}

// firstMatch returns what a pattern's group matches in a file, or instead.
func firstMatch(path, pattern, instead string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return instead
	}
	if found := regexp.MustCompile(pattern).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return instead
}
