package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/pattern"
)

// A suite is the tests of a package, which are tried in the order of suites: what is noticed
// by an early one is not tried again. Stories run a program that is built apart.
type suite struct{ folder string }

var suites = []suite{
	{folder: "flow"}, {folder: "hooks"}, {folder: "gitstore"}, {folder: "cmd/git-liza/internal/tests/boards"},
}

// A test is one that passed with all guards on.
type test struct {
	name string
	took time.Duration
	seen map[int]bool // guards that were asked
}

// try returns the guards that the suite does not notice.
func (s suite) try(ctx context.Context, root, work, wanting string, jobs int, guards []*guard, wanted []int) (left []int, err error) {
	programs := make([]*program, jobs)
	for w := range programs {
		if programs[w], err = s.build(ctx, root, work, w); err != nil {
			return nil, err
		}
	}
	names, err := list(ctx, programs[0], wanting)
	if err != nil {
		return nil, err
	}
	tests := make([]*test, len(names))
	if err := each(slices.Collect(indices(names)), jobs, func(w, i int) (err error) {
		tests[i], err = programs[w].first(ctx, names[i])
		return err
	}); err != nil {
		return nil, err
	}
	tests = slices.DeleteFunc(tests, func(t *test) bool { return t == nil })
	slices.SortFunc(tests, func(a, b *test) int { return cmp.Compare(a.took, b.took) })
	fmt.Printf("%s: %d of %d tests pass\n", s.folder, len(tests), len(names))
	noticed := make([]string, len(guards))
	if err := each(wanted, jobs, func(w, n int) (err error) {
		if noticed[n], err = programs[w].notice(ctx, n, tests); noticed[n] != "" {
			fmt.Printf("noticed %s:%d by %s\n", guards[n].file, guards[n].at, noticed[n])
		}
		return err
	}); err != nil {
		return nil, err
	}
	for _, n := range wanted {
		if noticed[n] == "" {
			left = append(left, n)
		}
	}
	return left, nil
}

func indices[T any](list []T) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range list {
			if !yield(i) {
				return
			}
		}
	}
}

// A program holds the tests of a suite, with switchable guards.
type program struct {
	path   string
	folder string
	off    string // the file that names the guard that is off
}

func (s suite) build(ctx context.Context, root, work string, worker int) (*program, error) {
	p := &program{path: filepath.Join(work, fmt.Sprintf("%s-%d.test", filepath.Base(s.folder), worker)), folder: filepath.Join(root, s.folder), off: filepath.Join(work, fmt.Sprintf("off-%d", worker))}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", filepath.Join(work, "overlay.json"),
		"-ldflags", "-X "+standsPackage+".File="+p.off, "-o", p.path, "./"+s.folder)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", s.folder, err, out)
	}
	return p, nil
}

// list returns the names of the tests that match a pattern.
func list(ctx context.Context, p *program, pattern string) (names []string, err error) {
	out, err := p.run(ctx, time.Minute, "-test.list", pattern)
	for line := range strings.Lines(out) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "Test") {
			names = append(names, name)
		}
	}
	return names, err
}

// first runs a test with all guards on; nil if it does not pass.
func (p *program) first(ctx context.Context, name string) (*test, error) {
	_ = os.Remove(p.off)
	notes := p.off + ".seen"
	if err := os.WriteFile(notes, nil, 0o600); err != nil {
		return nil, err
	}
	begin := time.Now()
	out, err := p.run(ctx, 10*time.Minute, "-test.run", exactly(name))
	t := &test{name: name, took: time.Since(begin), seen: map[int]bool{}}
	text, failed := os.ReadFile(notes)
	if err := cmp.Or(failed, os.Remove(notes), ctx.Err()); err != nil {
		return nil, err
	}
	if err != nil {
		fmt.Printf("%s fails with all guards on: %v\n%s", name, err, last(out))
		return nil, nil
	}
	for line := range strings.Lines(string(text)) {
		n, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			return nil, err
		}
		t.seen[n] = true
	}
	return t, nil
}

// notice returns a test that fails with the guard off, "" for none. What is quick is tried
// first, several tests at a time.
func (p *program) notice(ctx context.Context, n int, tests []*test) (string, error) {
	if err := os.WriteFile(p.off, []byte(strconv.Itoa(n)), 0o600); err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(p.off) }()
	var names []string
	var took time.Duration
	attempt := func() (string, error) {
		if len(names) == 0 {
			return "", nil
		}
		out, err := p.run(ctx, 3*took+patience, "-test.failfast", "-test.run", exactly(names...))
		names, took = nil, 0
		if _, exit := errors.AsType[*exec.ExitError](err); err != nil && !exit {
			return "", err
		}
		if err == nil || ctx.Err() != nil || strings.Contains(out, "test timed out") {
			return "", ctx.Err()
		}
		return cmp.Or(failure().FindString(out), last(out)), nil
	}
	for _, t := range tests {
		if !t.seen[n] {
			continue
		}
		names, took = append(names, t.name), took+t.took
		if took < 2*time.Second {
			continue
		}
		if by, err := attempt(); by != "" || err != nil {
			return by, err
		}
	}
	return attempt()
}

var failure = pattern.Late(`--- FAIL: \S+/\S+|--- FAIL: \S+|panic: .*`)

// exactly is the pattern of -test.run for these tests.
func exactly(names ...string) string { return "^(" + strings.Join(names, "|") + ")$" }

func (p *program) run(ctx context.Context, limit time.Duration, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.path, append(args, "-test.timeout", limit.String())...)
	cmd.Dir = p.folder
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// last is the end of an output.
func last(out string) string { return out[max(0, len(out)-2000):] }
