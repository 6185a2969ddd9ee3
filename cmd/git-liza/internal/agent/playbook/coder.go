package playbook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// code works on the claimed task: on the attempt that follows its rejections, or on the
// fix of a failed merge.
func (a *Agent) code(ctx context.Context, p *Playbook) error {
	w, t, err := a.ownTask(ctx, p)
	if err != nil {
		return err
	}
	if err := a.removeUncommitted(ctx); err != nil {
		return err
	}
	recipe := &w.Attempts[min(t.CyclesTotal, len(w.Attempts)-1)]
	if t.Fix != "" {
		if w.Fix == nil {
			return fmt.Errorf("%w: %s has to be merged with %s, but has no integration_fix", ErrPlaybook, a.Task, t.Fix)
		}
		recipe = w.Fix
	}
	if err := a.declareIntent(ctx, recipe.Intent); err != nil {
		return err
	}
	if err := a.makeAttempts(ctx, p, w, t); err != nil {
		return err
	}
	if t.Fix != "" {
		if err := a.mergeTip(ctx, w.Fix, t.Fix); err != nil {
			return err
		}
	}
	if err := a.liza(ctx, nil, nil, "submit", string(a.Task)); err != nil {
		return err
	}
	a.say("%s: submitted", a.Task)
	return nil
}

// removeUncommitted removes what an earlier run left uncommitted, an unfinished merge included.
func (a *Agent) removeUncommitted(ctx context.Context) error {
	if _, err := a.git(ctx, "reset", "-q", "--hard"); err != nil {
		return err
	}
	_, err := a.git(ctx, "clean", "-fdq")
	return err
}

// declareIntent records an intent, which each iteration needs.
func (a *Agent) declareIntent(ctx context.Context, in Intent) error {
	args := []string{"intent", string(a.Task), "--summary=" + in.Summary, "--validation=" + in.Validation}
	for _, list := range []struct {
		flag   string
		values []string
	}{{"files", in.Files}, {"assumption", in.Assumptions}, {"risk", in.Risks}, {"extend", in.Extend}} {
		for _, v := range list.values {
			args = append(args, "--"+list.flag+"="+v)
		}
	}
	if in.TestsNotNeeded != "" {
		args = append(args, "--tests-not-needed="+in.TestsNotNeeded)
	}
	return a.liza(ctx, nil, nil, args...)
}

// makeAttempts makes the commits that the branch still lacks. A branch that begins afresh,
// after another coder had the task, gets all of them.
func (a *Agent) makeAttempts(ctx context.Context, p *Playbook, w *Work, t *task) error {
	marks, err := a.committedRecipes(ctx, t.Base)
	if err != nil {
		return err
	}
	due := min(t.CyclesTotal+1, len(w.Attempts))
	if t.Fix != "" {
		due = 0
	}
	for n := range due {
		mark := a.recipeTrailer("attempt " + strconv.Itoa(n+1))
		if marks[mark] {
			continue
		}
		if n == 0 {
			if err := a.awaitClaims(ctx, w.WaitFor, time.Duration(p.Wait)); err != nil {
				return err
			}
		}
		if err := a.askFor(ctx, w.Attempts[n].Ask); err != nil {
			return err
		}
		if err := a.commitRecipe(ctx, &w.Attempts[n], mark); err != nil {
			return fmt.Errorf("attempt %d at %s: %w", n+1, a.Task, err)
		}
		a.say("%s: attempt %d committed", a.Task, n+1)
	}
	return nil
}

// mergeTip merges the tip that the work conflicts with. The recipe's files resolve the
// conflict.
func (a *Agent) mergeTip(ctx context.Context, r *Recipe, tip string) error {
	behind, err := a.succeeds(ctx, "merge-base", "--is-ancestor", tip, "HEAD")
	if err != nil || behind {
		return err
	}
	clean, err := a.succeeds(ctx, "merge", "-q", "--no-ff", "--no-commit", tip)
	if err != nil {
		return err
	}
	if merging, err := a.succeeds(ctx, "rev-parse", "-q", "--verify", "MERGE_HEAD"); err != nil || !merging {
		return errors.Join(err, fmt.Errorf("git merge %s began no merge", tip))
	}
	if clean {
		a.say("%s: %s merges without a conflict", a.Task, tip)
	}
	if err := a.commitRecipe(ctx, r, a.recipeTrailer("integration_fix")); err != nil {
		return fmt.Errorf("integration_fix of %s: %w", a.Task, err)
	}
	a.say("%s: merged with %s", a.Task, tip)
	return nil
}

// commitRecipe carries out a recipe and commits the result.
func (a *Agent) commitRecipe(ctx context.Context, r *Recipe, mark string) error {
	if err := a.write(r); err != nil {
		return err
	}
	if r.Run != "" {
		result, err := a.shell(ctx, r.Run)
		if err != nil {
			return err
		}
		if !result.Passed() {
			return fmt.Errorf("run exits %d: %s", result.Code, LastLine(result.Excerpt))
		}
	}
	if _, err := a.git(ctx, "add", "-A"); err != nil {
		return err
	}
	message := strings.TrimSpace(r.Message) + "\n\n" + mark + "\n"
	_, err := a.feed(ctx, strings.NewReader(message), "commit", "-q", "-F", "-")
	return err
}

// write writes the recipe's files. No symbolic link in the checkout leads it outside.
func (a *Agent) write(r *Recipe) error {
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range r.Write {
		if err := put(root, f, os.O_TRUNC); err != nil {
			return err
		}
	}
	for _, f := range r.Append {
		if err := put(root, f, os.O_APPEND); err != nil {
			return err
		}
	}
	return nil
}

func put(root *os.Root, f File, how int) error {
	name := string(f.Path)
	if dir := path.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|how, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteString(f.Content)
	if err = errors.Join(err, file.Close()); err != nil || !f.Executable {
		return err
	}
	info, err := root.Stat(name)
	if err != nil {
		return err
	}
	// Every user that may read the file may execute it, as the umask allows.
	return root.Chmod(name, info.Mode()|info.Mode()&0o444>>2&fs.ModePerm)
}

// LastLine returns the last line of an output.
func LastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}
