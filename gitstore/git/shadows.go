package git

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// shadowDirs are the folders of refs in which git looks for a name that begins
// with refs/ too, by gitrevisions(7): a ref refs/liza/state below one of them
// makes every push to ours fail, since git then finds two of that name.
var shadowDirs = []string{"refs/refs", "refs/heads/refs", "refs/tags/refs", "refs/remotes/refs"}

// ShadowDirs are the folders of refs in which a ref shadows one of ours.
func ShadowDirs() []string { return slices.Clone(shadowDirs) }

// Shadows reports whether a ref is one that git can take for another whose
// name is given in full, on whatever file system.
func Shadows(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(shadowDirs, func(dir string) bool { return lower == dir || strings.HasPrefix(lower, dir+"/") })
}

// ShadowRefs lists, sorted, the refs of the repository that [Shadows] holds of.
func (s *RefStore) ShadowRefs(ctx context.Context) ([]string, error) {
	refs, err := s.List(ctx, shadowDirs[0], shadowDirs[1:]...)
	return slices.Sorted(maps.Keys(refs)), err
}
