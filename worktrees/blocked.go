package worktrees

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// removeBlocking clears away what git would wait for in a checkout below .worktrees/,
// without end: it opens .gitignore and .gitattributes in every folder, and the HEAD,
// the branch and the configuration of every repository inside, newer ones also what that includes,
// whatever they are. A pipe holds nothing and is removed; a repository that has one there, or a
// configuration that only git can read, loses the name .git.
func removeBlocking(r record) {
	if r.name == "" || r.gone {
		return
	}
	root, err := os.OpenRoot(r.path) // a process may replace a folder by a link meanwhile
	if err != nil {
		return
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return nil // git's error will name what cannot be read
		}
		switch base := path.Base(name); {
		case base == ".git":
			if name != ".git" && blocksGit(r.path, name) {
				_ = root.Rename(name, name+"-kept-"+rand.Text()[:8])
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
		case (base == ".gitignore" || base == ".gitattributes") && isSpecial(entry.Type()):
			_ = root.Remove(name)
		}
		return nil
	})
}

// blocksGit reports whether git would wait for the repository whose .git is at name.
func blocksGit(dir, name string) bool {
	gitDir := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Stat(gitDir); err == nil && info.Mode().IsRegular() {
		target, err := readDotGit(filepath.Dir(gitDir))
		if err != nil {
			return false
		}
		gitDir = target
	}
	shares, _ := git.ReadSmall(filepath.Join(gitDir, "commondir"))
	common := git.AbsoluteIn(gitDir, strings.TrimSpace(string(shares)))
	head, _ := git.ReadSmall(filepath.Join(gitDir, "HEAD"))
	ref := strings.TrimSpace(strings.TrimPrefix(string(head), "ref:"))
	for _, path := range []string{gitDir + "/HEAD", gitDir + "/commondir", common + "/packed-refs", gitDir + "/" + ref, common + "/" + ref} {
		if info, err := os.Stat(path); err == nil && isSpecial(info.Mode()) {
			return true
		}
	}
	return git.CheckConfig(gitDir, common) != nil
}

// isSpecial files are none that have content: pipes, sockets and devices.
func isSpecial(mode fs.FileMode) bool {
	return mode&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0
}
