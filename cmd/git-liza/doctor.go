package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
	"github.com/git-liza/git-liza/hooks/stubs"
)

type doctorCommand struct {
	Unlock  bool `help:"Clear locks that another program has left on the board's refs, after saying how old they are."`
	Restore bool `help:"Put the integration branch back to where the board has it, with what only it held kept under refs/liza/rescue/, and each ref that git cannot read back to what it can read."`
}

func (c *doctorCommand) Run(inv *invocation, on reader) error {
	cleared := []string{}
	if c.Unlock {
		locks, err := on.clone.Doctor.Unlock(inv.ctx, func(lock work.Lock) { inv.progress("%s is %s old", lock.Path, lock.Age) })
		cleared = append(cleared, lists.Of(locks, func(lock work.Lock) string { return lock.Path })...)
		if err != nil {
			return err
		}
	}
	var err error
	restored := []work.Restored{}
	if c.Restore {
		if restored, err = restore(inv.ctx, on.clone); err != nil {
			if len(restored) > 0 {
				inv.progress("%s", strings.TrimSuffix(restoredText(restored), "\n"))
			}
			return err
		}
	}
	installed, err := stubs.Examine(inv.ctx, on.clone.Repo)
	found := append(on.clone.Doctor.Examine(inv.ctx), hooksFinding(installed, err, on.clone.Repo.MainWorkTree() == ""))
	if dir := on.clone.Repo.WorkTree(); dir != "" {
		if f, ok := contractsFinding(inv, dir); ok {
			found = append(found, f)
		}
	}
	settings, err := examineSettings(inv, on.clone)
	if err != nil {
		return err
	}
	found = append(found, settings)
	calls, err := examineNotify(inv.ctx, on.clone)
	if err != nil {
		return err
	}
	found = append(found, calls...)
	if on.clone.Checkouts.Trees != nil {
		about, err := c.examineProviders(inv, &on.clone.Repo.Config.Configuration)
		if err != nil {
			return err
		}
		found = append(found, about...)
	}
	if installed.Server {
		if found, err = c.examineServer(inv, on.clone, found); err != nil {
			return err
		}
	}
	for i := range found {
		found[i].Hint = hints{inv}.adapt(found[i].Hint)
	}
	data := map[string]any{"findings": found, "cleared": cleared, "restored": restored}
	text, failed := doctorText(found, cleared, inv.width())
	text = restoredText(restored) + text
	if failed == 0 {
		return inv.answer("", data, text)
	}
	return inv.partly(failure{code: exitFailed, outcome: "failed", rule: flow.RuleDoctor, hint: firstHint(found),
		reason: fmt.Sprintf("findings that make work fail: %d", failed)}, data, text)
}

// restore mends the refs that git cannot read, then the integration branch: what a
// remote has of it comes first. Refs that stay broken are no reason to leave it.
func restore(ctx context.Context, clone *work.Clone) ([]work.Restored, error) {
	list, err := clone.Doctor.RestoreRefs(ctx)
	if err != nil && !errors.Is(err, git.ErrDamaged) && !errors.Is(err, gitstore.ErrOffline) {
		return list, err
	}
	r, restoreErr := clone.Integration.Restore(ctx)
	if r != nil {
		list = append(list, *r)
	}
	err = errors.Join(err, restoreErr)
	if len(list) > 0 && restoreErr == nil {
		err = errors.Join(err, clone.Doctor.CutLost(ctx))
	}
	return append([]work.Restored{}, list...), err
}

// examineServer returns the findings that matter in a repository that only receives
// pushes. It adds how the server identifies the user who pushes.
func (c *doctorCommand) examineServer(inv *invocation, clone *work.Clone, found []work.Finding) ([]work.Finding, error) {
	found = slices.DeleteFunc(found, func(f work.Finding) bool {
		return f.State == "fail" && slices.Contains([]string{"identity", "format", "principals", "trust"}, f.Check)
	})
	for i, f := range found {
		if f.Check == "board" && f.Hint == "git liza init" {
			found[i].State, found[i].Hint = "warn", "git liza init --remote origin"
		}
	}
	p, err := hooks.ReadPush(inv.ctx, clone.Repo, nil, inv.now(), func(string) string { return "" })
	if err != nil {
		return nil, err
	}
	name, err := clone.Repo.Config.Config(inv.ctx, "liza.server.userEnv")
	text := "identified by the signatures of moves"
	switch {
	case p.Signed:
		text += ", which all need one"
	case p.UserKnown:
		text = "identified by the variable " + name + ", or by the signatures of moves"
	}
	return append(found, work.Finding{Check: "who pushes", State: "ok", Text: text}), err
}

// restoredText describes how the integration branch and broken refs were restored.
func restoredText(list []work.Restored) string {
	var text strings.Builder
	for _, r := range list {
		if r.Is == "" {
			fmt.Fprintf(&text, "removed %s, which could not be read", r.Ref)
		} else {
			fmt.Fprintf(&text, "restored %s to %s", r.Ref, r.Is.Short())
		}
		if r.Kept != "" {
			fmt.Fprintf(&text, "; %s is kept as %s", r.Was.Short(), r.Kept)
		}
		if r.Lost != "" {
			fmt.Fprintf(&text, "; %s cannot be read", r.Lost.Short())
		}
		text.WriteString("\n")
	}
	return text.String()
}

// doctorText lists the findings for people and counts those that fail. Commands are not
// broken.
func doctorText(found []work.Finding, cleared []string, width int) (string, int) {
	var text strings.Builder
	failed := 0
	for _, path := range cleared {
		fmt.Fprintf(&text, "cleared %s\n", path)
	}
	for _, f := range found {
		if f.State == "fail" {
			failed++
		}
		fmt.Fprintf(&text, "%-4s  %-11s  ", f.State, f.Check)
		lines := strings.TrimSuffix(view.Wrapped(f.Text, max(width-findingIndent, 0)), "\n")
		text.WriteString(strings.ReplaceAll(lines, "\n", "\n"+strings.Repeat(" ", findingIndent)) + "\n")
		if f.Hint != "" {
			fmt.Fprintf(&text, "      %-11s  hint: %s\n", "", f.Hint)
		}
	}
	return text.String(), failed
}

// findingIndent is the width of what stands before the text of a finding.
const findingIndent = 19

func firstHint(found []work.Finding) string {
	if f := lists.Find(found, func(f work.Finding) bool { return f.State == "fail" }); f != nil {
		return f.Hint
	}
	return ""
}

// examineNotify returns the findings about where calls go: none if nobody has set it.
func examineNotify(ctx context.Context, clone *work.Clone) ([]work.Finding, error) {
	const check = "calls"
	command, every, err := readNotify(ctx, &clone.Repo.Config.Configuration)
	if err != nil {
		f := classify(err)
		return []work.Finding{{Check: check, State: "fail", Text: f.reason, Hint: f.hint}}, nil
	}
	if command == "" {
		return nil, nil
	}
	trouble, err := notify.TroubleOf(clone.Repo.CommonDir())
	if err != nil {
		return nil, err
	}
	if trouble != nil {
		return []work.Finding{{Check: check, State: "warn", Text: "liza.notify: " + trouble.String(), Hint: "git config --get liza.notify"}}, nil
	}
	return []work.Finding{{Check: check, State: "ok", Text: "go to a command, at most every " + board.Duration(every).String()}}, nil
}
