package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/pattern"
)

// CloneKey is the key by which the repository inside a checkout names the git directory of
// its clone.
const CloneKey = "liza.clone"

// ErrNoClone is wrapped by Open in a checkout whose clone is not where it was, or does not know
// it. The command line tests it for its hint.
var ErrNoClone = errors.New("the clone of this worktree is not there")

// leadToClone is where the clone is whose checkout was found, as seen from that: its git
// directory is the entry among the clone's worktrees that names it. Only the clone's own
// files decide.
func (at *location) leadToClone(clone string) (location, error) {
	if !filepath.IsAbs(clone) {
		clone = filepath.Join(at.gitDir, clone)
	}
	common, err := filepath.EvalSymlinks(clone)
	entry, entryErr := EntryOf(common, at.gitDir)
	if err := cmp.Or(err, entryErr); err != nil {
		return *at, fmt.Errorf("%w: %w", ErrNoClone, err)
	}
	outer := location{gitDir: entry, commonDir: common, objectDir: filepath.Join(common, "objects"), workTree: at.workTree}
	if err := outer.checkFolders(); err != nil {
		return outer, err
	}
	format, err := outer.readForm()
	outer.hashLen = format.hashLen
	return outer, err
}

// OpenNear is [Open], but for a folder in a checkout whose .git is gone, or of no clone: there it
// opens that of a clone by its main work tree or its git directory, of which "" is none.
func OpenNear(ctx context.Context, dir, clone string) (*Repo, error) {
	r, err := Open(ctx, dir)
	if clone == "" || err == nil && r.gitDir != r.commonDir {
		return r, err
	}
	of, cloneErr := Open(ctx, clone)
	if cloneErr != nil {
		return r, err
	}
	at := of.location
	for at.workTree, _ = filepath.EvalSymlinks(dir); at.workTree != of.mainWorkTree && at.workTree != filepath.Dir(at.workTree); at.workTree = filepath.Dir(at.workTree) {
		if at.gitDir, cloneErr = EntryOf(of.commonDir, filepath.Join(at.workTree, ".git")); cloneErr == nil {
			near := newRepo(at, of.program)
			return near, near.findMainWorkTree(ctx)
		}
	}
	return r, err
}

// EntryOf finds the entry of a checkout, by its .git, among those of a clone, first where
// it usually is.
func EntryOf(common, dotGit string) (string, error) {
	above := filepath.Join(common, "worktrees")
	names := []string{filepath.Base(filepath.Dir(dotGit))}
	for n := 0; n < len(names); n++ {
		entry := filepath.Join(above, names[n])
		named, err := ReadSmall(filepath.Join(entry, "gitdir"))
		if path := strings.TrimSpace(string(named)); err == nil && isPlace(common, path, dotGit) {
			return entry, nil
		}
		if n == 0 {
			for _, path := range PathsIn(above, "", "") {
				names = append(names, filepath.Base(path))
			}
		}
	}
	return "", fmt.Errorf("%w: %s is no checkout of %s any more", ErrNoRepository, filepath.Dir(dotGit), common)
}

// isPlace reports whether an entry names a checkout by its .git, or did before the checkout
// was moved with its clone, below which it is.
func isPlace(common, named, dotGit string) bool {
	if named == dotGit {
		return true
	}
	one, err := os.Stat(filepath.Dir(named))
	if isAbsent(err) {
		below, is := strings.CutPrefix(dotGit, filepath.Dir(common)+"/")
		return is && strings.HasSuffix(named, "/"+below)
	}
	other, otherErr := os.Stat(filepath.Dir(dotGit))
	return err == nil && otherErr == nil && os.SameFile(one, other)
}

// Inside is the repository inside the checkout that Open was given, as an agent's own git
// sees it: nothing in it may decide anything. It is the repository itself elsewhere.
func Inside(r *Repo) *Repo {
	dotGit := filepath.Join(r.workTree, ".git")
	if info, err := os.Lstat(dotGit); r.gitDir == r.commonDir || err != nil || !info.IsDir() {
		return r
	}
	return newRepo(location{gitDir: dotGit, commonDir: dotGit, objectDir: filepath.Join(dotGit, "objects"), workTree: r.workTree, hashLen: r.hashLen}, r.program)
}

// CloneOf is the git directory of the clone that a repository inside a checkout names, ""
// if it names none, or is no folder.
func CloneOf(inside string) string {
	info, err := os.Lstat(inside)
	if err != nil || !info.IsDir() {
		return ""
	}
	text, err := ReadSmall(filepath.Join(inside, "config"))
	if err != nil {
		return ""
	}
	lines, err := parseConfigText(text)
	for _, line := range lines {
		if line.key == CloneKey && err == nil && line.value != "" {
			if !filepath.IsAbs(line.value) {
				return filepath.Join(inside, line.value)
			}
			return filepath.Clean(line.value)
		}
	}
	return ""
}

// ContentStore is the folder in which Git LFS keeps what pointers of the repository name.
func (c *RepoConfiguration) ContentStore(ctx context.Context) string {
	set, _ := c.Config(ctx, "lfs.storage") // git says what it cannot read
	if filepath.IsAbs(set) {
		return set
	}
	return filepath.Join(c.repo.commonDir, cmp.Or(set, "lfs"))
}

// SettingsIn is what one file of configuration sets, includes not followed.
func (c *RepoConfiguration) SettingsIn(ctx context.Context, path string) ([]Setting, error) {
	if text, err := ReadSmall(path); err == nil {
		if lines, err := parseConfigText(text); err == nil {
			return parseConfig((&configReading{lines: lines}).list()), nil
		}
	}
	out, err := c.repo.Git(ctx, "config", "--file", path, "--no-includes", "--null", "--list")
	return parseConfig(out), err
}

// SettingsFor is SettingsIn with what the file includes for a git directory.
func (c *RepoConfiguration) SettingsFor(ctx context.Context, path, gitDir string) ([]Setting, error) {
	settings, err := c.SettingsIn(ctx, path)
	if !slices.ContainsFunc(settings, func(s Setting) bool { return strings.HasPrefix(s.Key, "include") }) {
		return settings, err
	}
	out, err := c.repo.Run(ctx, Cmd{Env: []string{"GIT_DIR=" + gitDir}, Args: []string{"config", "--file", path, "--includes", "--null", "--list"}})
	return parseConfig(out), err
}

// IsAmong reports whether a key is one of a list, of which those that end in a dot stand for all
// keys that begin so.
func (s Setting) IsAmong(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return s.Key == key || strings.HasSuffix(key, ".") && strings.HasPrefix(s.Key, key)
	})
}

// NamesSecret reports whether a setting is a secret by its name.
func (s Setting) NamesSecret() bool {
	name := strings.ToLower(s.Key[strings.LastIndexByte(s.Key, '.')+1:])
	return slices.ContainsFunc([]string{"token", "password", "secret"}, func(word string) bool { return strings.Contains(name, word) })
}

// userOfAddress matches whom an address of the web is asked as.
var userOfAddress = pattern.Late(`(https?|ftps?)://[^/\s]+@`)

// WithoutUser is a text without the users in addresses of the web, and so without their passwords
// and tokens.
func WithoutUser(text string) string { return userOfAddress().ReplaceAllString(text, "$1://") }

// RenderConfig is the text of a file of configuration with the settings in their order.
func RenderConfig(settings []Setting) string {
	var text strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	for _, s := range settings {
		first, last := strings.IndexByte(s.Key, '.'), strings.LastIndexByte(s.Key, '.')
		if first < 0 {
			continue // before any section, where git knows no setting
		}
		fmt.Fprintf(&text, "[%s", s.Key[:first])
		if first < last {
			fmt.Fprintf(&text, " \"%s\"", strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s.Key[first+1:last]))
		}
		fmt.Fprintf(&text, "]\n\t%s = \"%s\"\n", s.Key[last+1:], quote.Replace(s.Value))
	}
	return text.String()
}

// takeOptions keep git from indexes over objects that somebody else has written.
var takeOptions = []string{"-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", "-c", "pack.useBitmaps=false", "-c", "core.hooksPath=" + os.DevNull}

// takeLimit bounds the pack of what is taken over at once, in bytes.
const takeLimit = 4 << 30

// takeTime is how long git may take for each step of taking over: it may be a whole project.
const takeTime = 30 * time.Minute

// TakeObjects brings what revs lead to, commits and, after ^, those that are known, from a
// folder of objects that somebody else has written to another, the repository's own or that of
// one which from borrows from. Git opens no repository there: what a
// partial clone lacks it fetches as the clone's own configuration says. What
// comes is checked in an empty folder, the quarantine, before it is there: that each
// object is what its id says, and that those which it names are there. So is all that revs lead
// to: it is in the pack, or git could not have followed it. Only a rev that ends in ^{commit} is
// checked to be what it is called, before it is followed. The error is a *Error where git refuses
// them.
func TakeObjects(ctx context.Context, r *Repo, from, to, quarantine string, revs []string) error {
	if err := os.MkdirAll(quarantine, 0o777); err != nil {
		return fmt.Errorf("taking objects over: %w", err)
	}
	pack, err := os.Create(filepath.Join(quarantine, "taken.pack"))
	if err != nil {
		return fmt.Errorf("taking objects over: %w", err)
	}
	defer pack.Close()
	err = r.streamOutput(ctx, Cmd{Env: []string{alternatesVar + "=" + quoteAlternate(from)}, Stdin: []byte(strings.Join(revs, "\n") + "\n"), Limit: takeTime,
		Args: append(takeOptions, "pack-objects", "-q", "--revs", "--stdout", "--thin", "--delta-base-offset")}, func(out *bufio.Reader) error {
		_, err := io.Copy(pack, io.LimitReader(out, takeLimit+1))
		return err
	})
	if err == nil {
		_, err = pack.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	unpack := append(slices.Clone(takeOptions), "unpack-objects", "-q", "--strict", fmt.Sprintf("--max-input-size=%d", takeLimit))
	if _, err := r.Run(ctx, Cmd{Env: Apart(to, quarantine), Input: pack, Args: unpack, Limit: takeTime}); err != nil {
		return err
	}
	if err := MoveObjects(to, quarantine); err != nil {
		return fmt.Errorf("taking objects over: %w", err)
	}
	return nil
}

// Apart is the environment in which git writes objects to a quarantine, and sees those of a
// folder too.
func Apart(objects, quarantine string) []string {
	return []string{"GIT_OBJECT_DIRECTORY=" + quarantine, alternatesVar + "=" + lent(objects)}
}

// MoveObjects moves the objects that a quarantine holds to another folder. After an error some
// of them may be there, which harms nothing.
func MoveObjects(objects, quarantine string) error {
	for _, path := range PathsIn(quarantine, "", "") {
		name := filepath.Base(path)
		if len(name) != 2 && name != "pack" {
			continue
		}
		to := filepath.Join(objects, name)
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) && os.Rename(path, to) == nil {
			continue // with the permissions that git gave it
		}
		for _, object := range slices.Backward(PathsIn(path, "", "")) { // a pack before its idx
			if err := os.Rename(object, filepath.Join(to, filepath.Base(object))); err != nil {
				return err
			}
		}
	}
	return nil
}
