package gitstore

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Attributes are the attributes of a base by which a commit made from it is merged, as lines
// of an info/attributes: those of the root and of the folders in which the commit changes
// something. What the commit changes of them counts for later merges only.
func (cs *Commits) Attributes(ctx context.Context, base, commit git.ID) (string, error) {
	c, ok, err := cs.history.findCommit(base)
	if err != nil || !ok {
		return "", err
	}
	changes, err := cs.repo.Changes(ctx, base, commit)
	if err != nil {
		return "", unreadRefusal(err)
	}
	folders := map[string]bool{"": true}
	for _, change := range changes {
		for i, letter := range change.Path {
			if letter == '/' {
				folders[change.Path[:i+1]] = true
			}
		}
	}
	var list strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		e, ok, err := cs.objects.Find(c.Tree, folder+".gitattributes")
		if err != nil {
			return "", err
		}
		if !ok || e.Mode&0o170000 != 0o100000 {
			continue
		}
		text, err := cs.repo.Git(ctx, "cat-file", "blob", string(e.ID)) // fetches what a partial clone lacks
		if err != nil {
			return "", err
		}
		for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
			list.WriteString(attributeBelow(folder, strings.Trim(line, " \t\r\n")) + "\n")
		}
	}
	return strings.TrimSpace(list.String()), nil
}

// attributeBelow is a line of the attributes of a folder as the root would have it, "" if it has
// no meaning there. A folder whose name would have to be quoted has no attributes.
func attributeBelow(folder, line string) string {
	if folder == "" || line == "" || line[0] == '#' {
		return line
	}
	if strings.HasPrefix(line, "[attr]") || strings.ContainsAny(folder, " \t\r\n\"\\*?[") {
		return ""
	}
	quote, ends := "", " \t"
	if line[0] == '"' {
		quote, ends, line = `"`, `"`, line[1:]
	}
	if pattern := line[:max(strings.IndexAny(line, ends), 0)]; !strings.Contains(pattern, "/") {
		folder += "**/"
	}
	return quote + "/" + folder + strings.TrimPrefix(line, "/")
}
