package playbook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow/board"
)

const (
	// gitLimit bounds git and git liza, which wait for locks and run hooks.
	gitLimit = 2 * time.Minute
	// checkLimit bounds a command of the playbook.
	checkLimit = 10 * time.Minute
	// output is how much of a child's output is read, in bytes.
	output = 4 << 20
)

// run runs a program in the agent's checkout.
func (a *Agent) run(ctx context.Context, stdin io.Reader, limit time.Duration, argv ...string) (proc.Result, error) {
	r, err := proc.Run(ctx, proc.Command{Path: argv[0], Args: argv[1:], Dir: a.Dir, Env: a.Environ,
		Stdin: stdin, Wall: limit, Excerpt: output})
	return r, cmp.Or(err, ctx.Err())
}

// git runs plain git and returns what it printed.
func (a *Agent) git(ctx context.Context, args ...string) (string, error) {
	return a.feed(ctx, nil, args...)
}

func (a *Agent) feed(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	r, err := a.run(ctx, stdin, gitLimit, append([]string{"git"}, args...)...)
	if err != nil {
		return "", err
	}
	if !r.Passed() {
		return "", fmt.Errorf("git %s: exit %d: %s", args[0], r.Code, strings.TrimSpace(r.Excerpt))
	}
	return r.Excerpt, nil
}

// succeeds reports whether plain git exits with 0, for questions that git answers by
// its exit code.
func (a *Agent) succeeds(ctx context.Context, args ...string) (bool, error) {
	r, err := a.run(ctx, nil, gitLimit, append([]string{"git"}, args...)...)
	return r.Passed(), err
}

// config returns a value of the clone's configuration, "" if it is not set.
func (a *Agent) config(ctx context.Context, key string) (string, error) {
	r, err := a.run(ctx, nil, gitLimit, "git", "-C", cmp.Or(proc.Value(a.Environ, "LIZA_CLONE"), a.Dir), "config", "--get", key)
	switch {
	case err != nil:
		return "", err
	case r.Code == 1:
		return "", nil
	case !r.Passed():
		return "", fmt.Errorf("git config %s: exit %d: %s", key, r.Code, strings.TrimSpace(r.Excerpt))
	}
	return strings.TrimSuffix(r.Excerpt, "\n"), nil
}

// shell runs a command line of the playbook.
func (a *Agent) shell(ctx context.Context, line string) (proc.Result, error) {
	path, args := proc.Shell(line)
	return a.run(ctx, nil, checkLimit, append([]string{path}, args...)...)
}

// A reply is the one object that `git liza … --json` prints.
type reply struct {
	OK      bool            `json:"ok"`
	Outcome string          `json:"outcome"`
	Data    json.RawMessage `json:"data"`
	Error   struct {
		Rule   string `json:"rule"`
		Reason string `json:"reason"`
		Hint   string `json:"hint"`
	} `json:"error"`
}

// liza runs a command of git liza and decodes its data into data, unless that is nil. A
// move that was made but ended in a setback is no error.
func (a *Agent) liza(ctx context.Context, stdin io.Reader, data any, args ...string) error {
	r, err := a.run(ctx, stdin, gitLimit, append([]string{"git", "liza", "--json"}, args...)...)
	if err != nil {
		return err
	}
	answer, err := parseReply(r.Excerpt)
	if err != nil {
		return fmt.Errorf("git liza %s: exit %d: %w", args[0], r.Code, err)
	}
	if !answer.OK && answer.Outcome != "changed" {
		return fmt.Errorf("git liza %s: %s (%s); hint: %s", args[0], answer.Error.Reason, answer.Error.Rule, answer.Error.Hint)
	}
	if data == nil || len(answer.Data) == 0 {
		return nil
	}
	if err := json.Unmarshal(answer.Data, data); err != nil {
		return fmt.Errorf("git liza %s: %w", args[0], err)
	}
	return nil
}

// parseReply finds the object beside what hooks may have printed.
func parseReply(text string) (reply, error) {
	var answer reply
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, `{"ok":`) {
			return answer, json.Unmarshal([]byte(line), &answer)
		}
	}
	return answer, errors.New(cmp.Or(strings.TrimSpace(text), "it printed nothing"))
}

func (a *Agent) show(ctx context.Context, id board.TaskID) (*task, error) {
	var t task
	if err := a.liza(ctx, nil, &t, "show", string(id)); err != nil {
		return nil, err
	}
	return &t, nil
}

// ownTask returns what the playbook says of the agent's task, and what the board
// says. The error wraps ErrPlaybook if the playbook says nothing of it.
func (a *Agent) ownTask(ctx context.Context, p *Playbook) (*Work, *task, error) {
	w, err := p.find(a.Task)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrPlaybook, err)
	}
	t, err := a.show(ctx, a.Task)
	return w, t, err
}
