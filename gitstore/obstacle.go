package gitstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// obstructs reports whether a ref excludes one of ours: a file where we need a
// folder, a folder where we need a file, or a ref that [git.Shadows] one.
func obstructs(name, integration string) bool {
	below := func(dir, file string) bool { return strings.HasPrefix(file, dir+"/") }
	ours := []string{layout.State, integration}
	return git.Shadows(name) || name == layout.TaskRoot ||
		slices.ContainsFunc(ours, func(ref string) bool { return below(ref, name) || below(name, ref) })
}

// Obstacle refuses a remote with refs that exclude those of a board;
// integration is the full name of its integration branch. It is nil if there
// are none. Errors wrap ErrOffline.
func (r *Remotes) Obstacle(ctx context.Context, remote, integration string) (*flow.Refusal, error) {
	patterns := []string{layout.Root, layout.TaskRoot, layout.State + "/*", integration + "/*"}
	for _, dir := range git.ShadowDirs() {
		patterns = append(patterns, dir, dir+"/*")
	}
	for i := range integration {
		if integration[i] == '/' && i > len("refs/heads") {
			patterns = append(patterns, integration[:i])
		}
	}
	there, err := r.listRemote(ctx, remote, patterns...)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if obstructs(name, integration) {
			return &flow.Refusal{Rule: flow.RuleObstacle, Hint: fmt.Sprintf("git fetch %s %s && git push %[1]s --delete %[2]s", remote, "'"+strings.ReplaceAll(name, "'", `'\''`)+"'"),
				Reason: fmt.Sprintf("%s has the ref %s, beside which git cannot create the refs of a board: delete it", remote, board.Excerpt(name, 200))}, nil
		}
	}
	return nil, nil
}

// explainHindered is the error of a push that a remote rejected without a
// reason: it may have refs that exclude ours.
func (r *Remotes) explainHindered(ctx context.Context, remote, integration string, err error) error {
	var refused *flow.Refusal
	if err == nil || errors.As(err, &refused) {
		return err
	}
	if obstacle, lookErr := r.Obstacle(ctx, remote, integration); lookErr == nil && obstacle != nil {
		return fmt.Errorf("%w: %w", ErrForeignRef, obstacle)
	}
	return err
}
