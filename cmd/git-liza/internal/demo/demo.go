// Package demo shows the whole flow on a repository made for it. A planner, coders and
// a reviewer build a small product in POSIX shell by real commits, with one rejection
// and one merge that fails and is repaired.
//
// It uses nothing but the public commands, as a user would type them, and `git liza
// rush` with the provider script, which runs like every other agent. It follows the
// moves on the state ref. It changes no repository but its own, and reports an error
// unless every task is merged and the product's own tests pass on integration.
package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// ErrNotEmpty is wrapped by the error of [Demo.Run] for a folder that is not empty. The
// command line tests it to refuse.
var ErrNotEmpty = errors.New("is not empty")

// A Demo is one run.
type Demo struct {
	Dir     string    // the repository's folder, made if it does not exist; "" means a new temporary one
	Fast    bool      // leaves out the tasks that the plan marks as stretch
	Program string    // path of the git-liza to show
	Environ []string  // the environment of child processes, without variables that bind them to another repository or agent
	Out     io.Writer // receives the story, for people
}

// A Report is how a demo ended.
type Report struct {
	Dir       string            `json:"dir"`
	Tasks     map[string]string `json:"tasks"` // id to state
	Moves     int               `json:"moves"`
	Rejected  int               `json:"rejections"`
	FailedFit int               `json:"integration_failures"`
	Tests     string            `json:"tests"` // the last output of the product's own tests
	Seconds   float64           `json:"seconds"`
}

// limit bounds the whole run, on a slow machine too.
const limit = 3 * time.Minute

// Run shows the flow. The folder is kept and named in the report, whatever the error.
// Errors wrap ErrNotEmpty, or are a *work.Setback that names what is not merged, or
// what failed.
func (d *Demo) Run(ctx context.Context) (Report, error) {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := run{Demo: d, begun: begun, keep: func(t board.TaskInput) bool { return !d.Fast || !t.Stretch }}
	if err := r.folder(); err != nil {
		return r.report, err
	}
	err := r.playStory(ctx)
	r.report.Seconds = time.Since(begun).Round(100 * time.Millisecond).Seconds()
	if setback, is := errors.AsType[*work.Setback](err); is {
		setback.Data = r.report
	}
	r.say("")
	r.say("%d moves in %.1f s; the repository is kept in %s", r.report.Moves, r.report.Seconds, r.report.Dir)
	return r.report, err
}

type run struct {
	*Demo
	begun    time.Time
	report   Report
	keep     func(board.TaskInput) bool // whether a task stays in the plan
	cast     []board.TaskID             // the tasks of the plan
	verdicts int                        // that were given so far
}

func (r *run) say(format string, args ...any) { fmt.Fprintf(r.Out, format+"\n", args...) }

// folder finds or makes the empty folder.
func (r *run) folder() error {
	if r.Dir == "" {
		dir, err := os.MkdirTemp("", "git-liza-demo-")
		r.report.Dir = dir
		return err
	}
	dir, err := filepath.Abs(r.Dir)
	if err != nil {
		return err
	}
	r.report.Dir = dir
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s %w: the demo makes a repository of its own", dir, ErrNotEmpty)
	}
	return err
}

// playStory makes the repository, lets the agents work and shows the result.
func (r *run) playStory(ctx context.Context) error {
	if err := r.makeRepository(ctx); err != nil {
		return err
	}
	r.say("A repository with a spec, and a playbook in place of language models:\n  %s\n", r.report.Dir)
	f, err := r.follower(ctx)
	if err != nil {
		return err
	}
	ended, err := f.rush(ctx, "--planners=1", "--coders=2", "--reviewers=1")
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return r.setback(fmt.Sprintf("called off: %s", context.Cause(ctx)))
	}
	verdict := r.missingParts(ended)
	tests := r.testProduct(ctx)
	return errors.Join(r.showResult(ctx), r.firstSetback(verdict, tests))
}

// firstSetback returns the first reason that is not "" as a setback.
func (r *run) firstSetback(reasons ...string) error {
	for _, reason := range reasons {
		if reason != "" {
			return r.setback(reason)
		}
	}
	return nil
}

func (r *run) setback(reason string) error {
	return &work.Setback{Rule: flow.RuleDemo, Reason: reason, Hint: "git -C " + r.report.Dir + " liza status"}
}

// unmerged says which tasks are not merged, "" if all are.
func (r *run) unmerged() string {
	var open []string
	for _, id := range r.cast {
		state, is := r.report.Tasks[string(id)], board.Status(0)
		if err := is.UnmarshalText([]byte(state)); err != nil || !is.IsMerged() {
			open = append(open, fmt.Sprintf("%s (%s)", id, cmp.Or(state, "not on the board")))
		}
	}
	slices.Sort(open)
	if len(open) == 0 {
		return ""
	}
	return "not merged: " + strings.Join(open, ", ")
}

// missingParts says what the run did not show or merge, "" if nothing.
func (r *run) missingParts(ended string) string {
	missing := r.unmerged()
	switch {
	case missing != "":
		return strings.TrimSuffix(missing+"; "+ended, "; ")
	case r.report.Rejected == 0:
		return "no submission was rejected, which the demo is to show"
	case r.report.FailedFit == 0:
		return "no merge failed, which the demo is to show"
	}
	return ended
}
