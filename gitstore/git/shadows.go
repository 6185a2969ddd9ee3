package git

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
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

// LikeBranch reports whether the name of a tag is that of a branch, as this repository or a
// clone of it has the branch: who types it gets the tag.
func LikeBranch(tag string, taken func(branch string) bool) bool {
	return slices.ContainsFunc([]string{tag, strings.TrimPrefix(tag, "origin/")}, func(name string) bool {
		return name == "HEAD" || strings.HasPrefix(strings.ToLower(name), layout.TaskBranches) || taken(name)
	})
}

// TagsLikeBranches lists, sorted, the tags that are called like a branch; integration is one.
func TagsLikeBranches(ctx context.Context, r *Repo, integration string) ([]string, error) {
	refs, err := listRefs(ctx, r.Refs, func(string) bool { return false }, "refs/tags", "refs/heads", "refs/remotes")
	return slices.DeleteFunc(slices.Sorted(maps.Keys(refs)), func(ref string) bool {
		tag, is := strings.CutPrefix(ref, "refs/tags/")
		return !is || !LikeBranch(tag, func(name string) bool {
			return refs["refs/heads/"+name]+refs["refs/remotes/"+name] != "" || strings.EqualFold(name, integration)
		})
	}), err
}

// ShadowRefs lists, sorted, the refs of the repository that [Shadows] holds of.
func (s *RefStore) ShadowRefs(ctx context.Context) ([]string, error) {
	refs, err := s.List(ctx, shadowDirs[0], shadowDirs[1:]...)
	return slices.Sorted(maps.Keys(refs)), err
}
