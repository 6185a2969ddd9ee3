package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// noteOffline records for an agent's supervisor that a command did not reach the
// remote.
func (h hints) noteOffline(err error) {
	var agent board.AgentID
	if !errors.Is(err, gitstore.ErrOffline) && !gitstore.IsDeclined(err) || !board.Generation(h.getenv("LIZA_GENERATION")).Spawned() ||
		agent.UnmarshalText([]byte(h.getenv("LIZA_AGENT_ID"))) != nil {
		return
	}
	if repo, openErr := git.Open(h.ctx, h.dir); openErr == nil {
		work.NoteOffline(repo.CommonDir(), agent, err.Error())
		_ = repo.Close()
	}
}

// nameRemote adds to the report of a missing board that a remote may have
// one. git clones neither the board nor the setting that names its remote.
func (h hints) nameRemote(err error, f failure) failure {
	h.noteOffline(err)
	if !errors.Is(err, gitstore.ErrNoBoard) {
		return f
	}
	repo, err := git.Open(h.ctx, h.dir)
	if err != nil {
		return f
	}
	remote, err := repo.Config.AnyRemote(h.ctx)
	if err != nil || remote == "" {
		return f
	}
	take := "git liza sync --set " + remote
	if found, err := h.boardBranch(repo, remote); err == nil && found != "" {
		f.reason, f.hint = fmt.Sprintf("%s; %s has a branch %s, and maybe the board", f.reason, remote, found), take
	} else {
		f.reason = fmt.Sprintf("%s; if %s has one: %s", f.reason, remote, take)
	}
	return f
}

// boardBranch returns a remote-tracking branch that a board on the remote would
// have made, "" if there is none.
func (h hints) boardBranch(repo *git.Repo, remote string) (string, error) {
	refs, err := repo.Refs.List(h.ctx, "refs/remotes/"+remote)
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		name := strings.TrimPrefix(ref, "refs/remotes/"+remote+"/")
		if name == "integration" || strings.HasPrefix(name, layout.TaskBranches) {
			return name, nil
		}
	}
	return "", err
}
