package main

import (
	"context"
	"fmt"

	"github.com/git-liza/git-liza/cmd/git-liza/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// examineNotify returns the findings about where calls go: none if nobody has set it.
func examineNotify(ctx context.Context, clone *work.Clone) ([]work.Finding, error) {
	const check = "calls"
	conf, err := readNotify(ctx, &clone.Repo.Config.Configuration)
	if err != nil {
		f := classify(err)
		return []work.Finding{{Check: check, State: "fail", Text: f.reason, Hint: f.hint}}, nil
	}
	if !conf.IsSet() {
		return nil, nil
	}
	if why := conf.Check(); why != nil {
		return []work.Finding{{Check: check, State: "fail", Text: why.Error(), Hint: "git config liza.notify.secret FILE"}}, nil
	}
	troubles, err := notify.Troubles(clone.Repo.CommonDir())
	if err != nil {
		return nil, err
	}
	var list []work.Finding
	for _, t := range troubles {
		key := map[string]string{"command": "liza.notify", "webhook": "liza.notify.url"}[t.Sink]
		list = append(list, work.Finding{Check: check, State: "warn", Text: fmt.Sprintf("%s: %s", key, t), Hint: "git config --get " + key})
	}
	if len(list) == 0 {
		list = append(list, work.Finding{Check: check, State: "ok", Text: "go to " + conf.String() + ", at most every " + flow.Duration(conf.Every).String()})
	}
	return list, nil
}
