package playbook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
)

// ErrPlaybook is wrapped by the error of [Agent.Run] for a playbook that is missing or
// invalid. The command line tests it to add a hint.
var ErrPlaybook = errors.New("playbook")

// An Agent is one run of the script agent, as a supervisor spawns it.
type Agent struct {
	Role     board.Role
	Capacity board.Capacity // of the role
	Task     board.TaskID   // "" for a planner
	Commit   string         // the submitted commit, for a reviewer
	Question board.RecordID // that it is to answer, "" for other work
	Dir      string         // the checkout that it works in
	Environ  []string       // the environment of its child processes
	Log      io.Writer      // a line about each step
}

// Run does what the playbook has for the capacity and the task. The error says what was
// refused or failed.
func (a *Agent) Run(ctx context.Context) error {
	p, err := a.playbook(ctx)
	if err != nil {
		return err
	}
	if a.Question != "" {
		return a.answer(ctx, p)
	}
	switch a.Capacity {
	case board.Plans:
		return a.plan(ctx, p)
	case board.Does:
		return a.code(ctx, p)
	}
	return a.review(ctx, p)
}

// playbook reads the file in the checkout. If the checkout has none, as a planner's
// may, it reads the one on the integration branch.
func (a *Agent) playbook(ctx context.Context) (*Playbook, error) {
	name, err := a.config(ctx, ConfigKey)
	if err != nil {
		return nil, err
	}
	name = cmp.Or(name, DefaultPath)
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(a.Dir, name)
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = a.integratedFile(ctx, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlaybook, err)
	}
	p, err := Parse(name, data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPlaybook, err)
	}
	return p, nil
}

// integratedFile returns the file on the integration branch.
func (a *Agent) integratedFile(ctx context.Context, name string) ([]byte, error) {
	missing := fmt.Errorf("there is no %s, neither in %s nor on the integration branch", name, a.Dir)
	text, err := a.git(ctx, "show", layout.State+":liza.yaml")
	if err != nil {
		return nil, missing
	}
	var settings struct {
		Integration board.Branch `yaml:"integration"`
	}
	if err := document.DecodeLoose("liza.yaml", []byte(text), &settings); err != nil {
		return nil, err
	}
	text, err = a.git(ctx, "show", string(settings.Integration.Tip)+":"+name)
	if err != nil {
		return nil, missing
	}
	return []byte(text), nil
}

func (a *Agent) say(format string, args ...any) {
	fmt.Fprintf(a.Log, format+"\n", args...)
}

// defaultWait is how long a wait_for may take if the playbook does not say.
const defaultWait = 20 * time.Second

// awaitClaims waits until the tasks have been claimed, at most for limit. The limit matters
// where one coder has to do all tasks.
func (a *Agent) awaitClaims(ctx context.Context, tasks []board.TaskID, limit time.Duration) error {
	limit = cmp.Or(limit, defaultWait)
	over := time.After(limit)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for _, id := range tasks {
		for {
			t, err := a.show(ctx, id)
			if err != nil {
				return err
			}
			if t.Iteration > 0 || t.Status.IsBegun() { // it was claimed
				break
			}
			select {
			case <-tick.C:
			case <-over:
				a.say("%s: %s is still %s after %s, going on without it", a.Task, id, t.Status, limit)
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// A task holds what the agent reads of `git liza show --json`.
type task struct {
	ID          board.TaskID `json:"id"`
	Status      board.Status `json:"status"`
	Base        string       `json:"base_commit"`
	Iteration   int          `json:"iteration"`
	CyclesTotal int          `json:"review_cycles_total"`
	Fix         string       `json:"integration_fix"`
	Reviews     []struct {
		Role      board.Role `json:"role"`
		Rejection *rejection `json:"rejection"`
	} `json:"reviews"`
}

// A rejection holds what the agent reads of a role's last rejection.
type rejection struct {
	Blockers []struct {
		Issue string `json:"issue"`
	} `json:"blockers"`
}

// recipeTrailer returns the trailer that marks the commit of a recipe, so that a later run
// does not repeat the recipe.
func (a *Agent) recipeTrailer(step string) string {
	return "Playbook: " + string(a.Task) + " " + step
}

// committedRecipes returns the recipes whose commits are on the branch already.
func (a *Agent) committedRecipes(ctx context.Context, base string) (map[string]bool, error) {
	text, err := a.git(ctx, "log", "--format=%(trailers:key=Playbook)", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	marks := map[string]bool{}
	for line := range strings.Lines(text) {
		marks[strings.TrimSpace(line)] = true
	}
	return marks, nil
}
