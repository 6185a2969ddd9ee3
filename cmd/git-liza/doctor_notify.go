package main

import (
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
)

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
	return []work.Finding{{Check: check, State: "ok", Text: "go to a command, at most every " + flow.Duration(every).String()}}, nil
}
