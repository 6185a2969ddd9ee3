package playbook

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/git-liza/git-liza/flow/board"
)

// answer says what the playbook has for questions to the agent's role about the task.
func (a *Agent) answer(ctx context.Context, p *Playbook) error {
	for i := range p.Answers {
		fit := &p.Answers[i]
		if fit.Role != "" && fit.Role != a.Role || fit.Task != "" && fit.Task != a.Task {
			continue
		}
		if _, err := a.ask(ctx, fit.Asks, "--parent="+string(a.Question)); err != nil {
			return err
		}
		a.say("%s: answered", a.Question)
		return a.liza(ctx, nil, nil, "answer", string(a.Question), fit.Text)
	}
	return fmt.Errorf("%w: no answer fits questions to %s about %s", ErrPlaybook, a.Role.One(), a.Task)
}

// askFor asks the question of a recipe, and puts the answer into the file that it names.
func (a *Agent) askFor(ctx context.Context, q *Ask) error {
	answer, err := a.ask(ctx, q)
	if err != nil || q == nil || q.File == "" || answer == "" {
		return err
	}
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return err
	}
	return errors.Join(put(root, File{Path: q.File, Content: answer + "\n"}, os.O_TRUNC), root.Close())
}

// ask asks a question and returns its answer; "" if there is none in the time that the
// playbook waits: the work goes on without it.
func (a *Agent) ask(ctx context.Context, q *Ask, more ...string) (string, error) {
	if q == nil {
		return "", nil
	}
	args := append([]string{"ask", q.To.String(), q.Text}, more...)
	if q.Wait != 0 {
		args = append(args, "--wait", "--timeout="+q.Wait.String())
	}
	var asked struct {
		Question board.RecordID `json:"question"`
		Answer   string         `json:"answer"`
	}
	if err := a.liza(ctx, nil, &asked, args...); err != nil {
		return "", err
	}
	a.say("%s: asked %s: %s", asked.Question, q.To, asked.Answer)
	return asked.Answer, nil
}
