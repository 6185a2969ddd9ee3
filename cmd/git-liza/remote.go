package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// cutOff leaves word for an agent's supervisor that its command did not reach
// the remote.
func (s *session) cutOff(err error) {
	var agent flow.AgentID
	if !errors.Is(err, gitstore.ErrOffline) || !flow.Generation(s.getenv("LIZA_GENERATION")).Spawned() ||
		agent.UnmarshalText([]byte(s.getenv("LIZA_AGENT_ID"))) != nil {
		return
	}
	if repo, openErr := git.Open(s.ctx, s.dir); openErr == nil {
		work.NoteOffline(repo.CommonDir(), agent, err.Error())
		_ = repo.Close()
	}
}

// elsewhere adds to the report of a missing board that a remote may have it:
// git clones neither the board nor the setting that names its remote.
func (s *session) elsewhere(err error, f failure) failure {
	s.cutOff(err)
	if !errors.Is(err, gitstore.ErrNoBoard) {
		return f
	}
	repo, err := git.Open(s.ctx, s.dir)
	if err != nil {
		return f
	}
	remote, err := repo.AnyRemote(s.ctx)
	if err != nil || remote == "" {
		return f
	}
	take := "git liza sync --set " + remote
	if found, err := s.cloned(repo, remote); err == nil && found != "" {
		f.reason, f.hint = fmt.Sprintf("%s; %s has a branch %s, and maybe the board", f.reason, remote, found), take
	} else {
		f.reason = fmt.Sprintf("%s; if %s has one: %s", f.reason, remote, take)
	}
	return f
}

// cloned is a branch of a remote, as git fetched it last, that a board there
// would have made, "" if there is none.
func (s *session) cloned(repo *git.Repo, remote string) (string, error) {
	refs, err := repo.Refs(s.ctx, "refs/remotes/"+remote)
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		name := strings.TrimPrefix(ref, "refs/remotes/"+remote+"/")
		if name == "integration" || strings.HasPrefix(name, "liza/") {
			return name, nil
		}
	}
	return "", err
}

// apart refuses a second board where a remote has one that this clone could
// take: two boards never come together again.
func (s *session) apart(clone *gitstore.Store, branch string) error {
	remote, err := clone.Repo.AnyRemote(s.ctx)
	if err != nil || remote == "" {
		return err
	}
	there, err := clone.Repo.Resolve(s.ctx, "refs/remotes/"+remote+"/"+branch)
	if err != nil || there == "" {
		return err
	}
	tip, err := clone.Remotes.BoardOf(s.ctx, remote)
	if err != nil || tip == "" {
		return nil // a board can be made without the network
	}
	return &flow.Refusal{Rule: flow.RuleState, Hint: "git liza sync --set " + remote,
		Reason: fmt.Sprintf("%s has a board already, at %s", remote, tip.Short())}
}
