package work

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/extension"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// removedFile has the hashes of the extensions that a person of this clone removed, as long
// as integration has them: nobody is asked to allow them. A file that cannot be read hides
// nothing.
const removedFile = "removed"

func (t *Trust) removedPath() string {
	return filepath.Join(t.repo.CommonDir(), layout.Private, removedFile)
}

func (t *Trust) removed() []string {
	text, _ := git.ReadSmall(t.removedPath())
	return strings.Fields(string(text))
}

// Awaited are those of some commands that people are asked to allow: all but the extensions
// that were removed here and are on integration until the commit arrives there.
func (t *Trust) Awaited(list []BoardCommand) []BoardCommand {
	removed := t.removed()
	return slices.DeleteFunc(slices.Clone(list), func(k BoardCommand) bool { return k.extension && slices.Contains(removed, CommandHash(k.Command)) })
}

// noteRemoved notes an extension of those on integration as removed, and forgets those that
// integration has no more.
func (t *Trust) noteRemoved(there []RunningExtension, name string) error {
	before := t.removed()
	var hashes []string
	for _, e := range there {
		if hash := CommandHash(e.Command()); e.Name == name || slices.Contains(before, hash) {
			hashes = append(hashes, hash)
		}
	}
	return t.writeRemoved(hashes)
}

// forgetRemoved lets people be asked about extensions again, which they have allowed.
func (t *Trust) forgetRemoved(hashes []string) error {
	before := t.removed()
	after := slices.DeleteFunc(slices.Clone(before), func(hash string) bool { return slices.Contains(hashes, hash) })
	if len(after) == len(before) {
		return nil
	}
	return t.writeRemoved(after)
}

func (t *Trust) writeRemoved(hashes []string) error {
	if len(hashes) > 0 {
		return git.ReplaceFile(t.removedPath(), []byte(strings.Join(hashes, "\n")+"\n"))
	}
	if err := os.Remove(t.removedPath()); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// earlierCommands are the texts of which the hashes may be trusted for an extension, and its
// gates, in all trees that it has had on the way to a commit.
func (t *Trust) earlierCommands(ctx context.Context, tip git.ID, name string) (commands []string, err error) {
	objects, err := t.repo.Objects(ctx)
	if err != nil {
		return nil, err
	}
	path := extension.Folder + "/" + name
	out, err := t.repo.Git(ctx, "rev-list", "--full-history", string(tip), "--", path)
	if err != nil {
		return nil, err
	}
	seen := map[git.ID]bool{}
	for id := range strings.FieldsSeq(string(out)) {
		c, err := objects.Commit(git.ID(id))
		if err != nil {
			return nil, err
		}
		folder, ok, err := objects.Find(c.Tree, path)
		if err != nil {
			return nil, err
		}
		if !ok || folder.Mode != git.ModeTree || seen[folder.ID] {
			continue
		}
		seen[folder.ID] = true
		e, err := findRunning(objects, name, folder.ID)
		if err != nil {
			return nil, err
		}
		commands = append(commands, e.Command())
		whole, _ := extension.Read(objects.FS(folder.ID, extension.MaxFile), extension.Base{}) // gates with a fault came on no board
		for _, g := range whole.Gates {
			commands = append(commands, g.Command)
		}
	}
	return commands, nil
}
