package gitstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// shadows are the folders of refs in which git looks for a name that begins
// with refs/ too, by gitrevisions(7): a ref refs/liza/state below one of them
// makes every push to ours fail, since git then finds two of that name.
var shadows = []string{"refs/refs", "refs/heads/refs", "refs/tags/refs", "refs/remotes/refs"}

// Shadows reports whether a ref is one that git can take for another whose
// name is given in full, on whatever file system.
func Shadows(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(shadows, func(dir string) bool { return lower == dir || strings.HasPrefix(lower, dir+"/") })
}

// ShadowRefs lists, sorted, the refs of the repository that [Shadows] holds of.
func (r *Repo) ShadowRefs(ctx context.Context) ([]string, error) {
	var names []string
	for _, dir := range shadows {
		refs, err := r.Refs(ctx, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, slices.Sorted(maps.Keys(refs))...)
	}
	return names, nil
}

// obstructs reports whether a ref leaves no room for one of ours: it is a file
// where we need a folder, or the other way round, or [Shadows] one.
func obstructs(name, integration string) bool {
	below := func(dir, file string) bool { return strings.HasPrefix(file, dir+"/") }
	ours := []string{StateRef, integration}
	return Shadows(name) || name == "refs/heads/liza" ||
		slices.ContainsFunc(ours, func(ref string) bool { return below(ref, name) || below(name, ref) })
}

// Obstacle refuses where a remote has refs that leave no room for those of a
// board, whose integration branch is given by its full name; nil if it has
// none. Errors wrap ErrOffline.
func (s *Store) Obstacle(ctx context.Context, remote, integration string) (*flow.Refusal, error) {
	patterns := []string{"refs/liza", "refs/heads/liza", StateRef + "/*", integration + "/*"}
	for _, dir := range shadows {
		patterns = append(patterns, dir, dir+"/*")
	}
	for i := range integration {
		if integration[i] == '/' && i > len("refs/heads") {
			patterns = append(patterns, integration[:i])
		}
	}
	there, err := s.listRemote(ctx, remote, patterns...)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if obstructs(name, integration) {
			return &flow.Refusal{Rule: "obstacle", Hint: fmt.Sprintf("git fetch %s %s && git push %[1]s --delete %[2]s", remote, "'"+strings.ReplaceAll(name, "'", `'\''`)+"'"),
				Reason: fmt.Sprintf("%s has the ref %s, beside which git makes none of a board there: delete it", remote, flow.Excerpt(name, 200))}, nil
		}
	}
	return nil, nil
}
