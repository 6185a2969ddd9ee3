package main

import (
	"errors"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
)

// breachOf describes an error of the board.
func breachOf(err error) view.Breach {
	var refusal *flow.Refusal
	var malformed *document.Error
	switch {
	case errors.As(err, &refusal):
		return view.Breach{Rule: refusal.Rule, Reason: refusal.Reason}
	case errors.As(err, &malformed):
		return view.Breach{Rule: flow.RuleCorrupt, Reason: malformed.Error()}
	}
	return view.Breach{Rule: flow.RuleCorrupt, Reason: err.Error()}
}

// breach returns why the board's last moves do not replay, or nil if they do. No move is made on a board that does not replay.
func (l look) breach(inv *invocation) (*view.Breach, error) {
	err := l.clone.Store.Audit.Vouch(inv.ctx, l.reading.Tip)
	if err == nil || inv.ctx.Err() != nil {
		return nil, inv.ctx.Err()
	}
	found := breachOf(err)
	if replay, is := errors.AsType[*gitstore.Breach](err); is {
		found = breachOf(replay.Err)
		found.Commit = replay.Commit
		found.Reason = "state commit " + replay.Commit.Short() + ": " + found.Reason
	}
	return &found, nil
}
