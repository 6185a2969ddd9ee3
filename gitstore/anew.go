package gitstore

import (
	"context"
	"errors"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// ErrUnreleased refuses a board from before the first release.
var ErrUnreleased error = &flow.Refusal{Rule: flow.RuleFormat, Hint: "git liza init --anew GOAL",
	Reason: "a build from before the first release made the board, and no release reads it"}

// PutAside moves the refs of a board from before the first release, or with every of each
// board, with the branches of its tasks, below a folder of refs/liza/rescue/, which it
// returns. A remote that held the board no longer counts. After a kill at any step it can
// be repeated. Without a board it does nothing; another board is a *[flow.Refusal].
func (s *Store) PutAside(ctx context.Context, every bool) (folder string, err error) {
	release, err := s.Repo.Turns.Alone(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	tip, err := s.Repo.Refs.Resolve(ctx, layout.State)
	if err != nil || tip == "" {
		return "", err
	}
	switch _, err := s.BoardAt(tip); {
	case err == nil && !every:
		return "", &flow.Refusal{Rule: flow.RuleExists, Hint: "git liza status", Reason: "there is a blackboard already"}
	case err != nil && !errors.Is(err, ErrUnreleased):
		return "", err
	}
	all, err := s.Repo.Refs.List(ctx, layout.Root, layout.TaskRoot)
	if err != nil {
		return "", err
	}
	folder = s.Repairer.rescueName(tip)
	var keep, free []git.RefUpdate
	for name, id := range all {
		if name == layout.State || strings.HasPrefix(name, layout.RescueRefs) || strings.HasPrefix(name, layout.PinRefs) {
			continue
		}
		keep = append(keep, git.RefUpdate{Name: folder + strings.TrimPrefix(strings.TrimPrefix(name, layout.Root), "refs"), New: id, Any: true})
		free = append(free, git.RefUpdate{Name: name, Old: id})
	}
	keep = append(keep, git.RefUpdate{Name: folder + "/state", New: tip, Any: true})
	free = append(free, git.RefUpdate{Name: layout.State, Old: tip}) // last: what is left before can be found again
	for _, updates := range [][]git.RefUpdate{keep, free} {
		if err := s.Repo.Refs.MoveRefs(ctx, updates, "liza: begun anew"); err != nil {
			return "", err
		}
	}
	if remote, err := s.Authority(ctx); err != nil || remote == "" {
		return folder, err
	}
	return folder, s.Repo.Config.WriteConfig(ctx, "--unset-all", remoteKey)
}
