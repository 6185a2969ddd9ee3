package git

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// ShadowDirs are the folders of refs in which git looks for a name that begins
// with refs/ too, by gitrevisions(7): a ref refs/liza/state below one of them
// makes every push to ours fail, since git then finds two of that name.
var ShadowDirs = []string{"refs/refs", "refs/heads/refs", "refs/tags/refs", "refs/remotes/refs"}

// Shadows reports whether a ref is one that git can take for another whose
// name is given in full, on whatever file system.
func Shadows(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(ShadowDirs, func(dir string) bool { return lower == dir || strings.HasPrefix(lower, dir+"/") })
}

// ShadowRefs lists, sorted, the refs of the repository that [Shadows] holds of.
func (s *RefStore) ShadowRefs(ctx context.Context) ([]string, error) {
	var names []string
	for _, dir := range ShadowDirs {
		refs, err := s.Refs(ctx, dir)
		if err != nil {
			return nil, err
		}
		names = append(names, slices.Sorted(maps.Keys(refs))...)
	}
	return names, nil
}
