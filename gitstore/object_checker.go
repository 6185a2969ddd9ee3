package gitstore

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxNewCommits is how many commits a submission may bring.
const maxNewCommits = 10_000

// An objectChecker checks the objects of a submission: all commits that the
// integration branch lacks, and all their folders that their parents lack.
type objectChecker struct {
	commits *Commits
	asked   bool // whether what the commits change is noted

	folders, bytes int

	commit  git.ID // that is checked, with so many parents
	parents int
	brought []flow.PathChange // of each commit, other than in all its parents

	read  map[git.ID]git.ID // the first commit that has a blob anew
	gone  map[git.ID]bool   // blobs of integration that a commit changes, moves or removes
	meant []git.ID          // is not searched
	keys  []foundKey
	marks map[git.ID]int // the lines in which conflicts begin, by blob
}

// An unsound object is one that git refuses, here or on another platform, or
// that cannot be judged.
type unsound struct {
	reason string
	mend   func(base, commit git.ID) string // the command that makes the work since base sound
}

func (u *unsound) Error() string { return u.reason }

// unsoundf is the error of a commit that git itself writes differently.
func unsoundf(format string, args ...any) error {
	return &unsound{fmt.Sprintf(format, args...), commitAnew}
}

// unsoundTree is the error of a folder that git itself writes differently.
func unsoundTree(format string, args ...any) error {
	return &unsound{fmt.Sprintf(format, args...), func(base, _ git.ID) string {
		// Not --soft: the index caches the trees that it was read from.
		return "git reset -q " + string(base) + " && git add -A && git commit -m MESSAGE"
	}}
}

// unsoundPath is the error of a file or folder that no commit may have at a
// path.
func unsoundPath(path, format string, args ...any) error {
	return &unsound{fmt.Sprintf(format, args...), func(base, commit git.ID) string {
		// It is removed from the work tree too, or it would be added again. The
		// index may lack it, since it refuses the names that git refuses.
		return "git rm -rq --ignore-unmatch -- " + shell.Quote(":(top,literal)"+path) + " && " + commitAnew(base, commit)
	}}
}

// tooMuch is the error of a submission that is too large to be judged.
func tooMuch(format string, args ...any) error {
	return &unsound{fmt.Sprintf(format, args...), func(_, commit git.ID) string { return "git ls-tree -r -t " + string(commit) }}
}

// commitAnew makes one new commit of the work, because an earlier commit can
// hold the unsound object.
func commitAnew(base, _ git.ID) string {
	return "git reset -q --soft " + string(base) + " && git commit -m MESSAGE"
}

// findFlaw refuses the unsound objects that a submission adds to the
// integration branch at tip; nil if all are sound.
func (j *objectChecker) findFlaw(ctx context.Context, tip, base, commit git.ID, changes []git.Change) (*flow.Refusal, error) {
	if base == "" {
		return nil, nil // a history unrelated to integration is refused elsewhere
	}
	cs := j.commits
	found := func(err error) (*flow.Refusal, error) {
		if u, is := errors.AsType[*unsound](err); is {
			return &flow.Refusal{Rule: flow.RuleContent, Reason: u.reason, Hint: u.mend(base, commit)}, nil
		}
		if limit, is := errors.AsType[*flow.Refusal](unreadRefusal(err)); is {
			return limit, nil
		}
		if errors.Is(err, git.ErrNoObject) {
			return nil, nil // a server checks all saved work for missing objects
		}
		return nil, err
	}
	list, err := cs.listBrought(ctx, tip, base, commit)
	if err != nil {
		return found(err)
	}
	for _, id := range slices.Backward(list) {
		if err := j.checkCommit(ctx, id); err != nil {
			return found(err)
		}
	}
	was, _, err := cs.history.findCommit(base)
	if err != nil {
		return nil, err
	}
	now, _, err := cs.history.findCommit(commit)
	if err != nil {
		return nil, err
	}
	path, why, err := cs.findBadLink(ctx, was.Tree, now.Tree, changes)
	if err != nil {
		return found(err)
	}
	if why != "" {
		return found(unsoundPath(path, "%.200q is a symbolic link that %s", path, why))
	}
	return nil, nil
}

// listBrought lists the commits that integration lacks. A short linear history
// is read here, because a process takes longer.
func (cs *Commits) listBrought(ctx context.Context, tip, base, commit git.ID) ([]git.ID, error) {
	var list []git.ID
	for id := commit; len(list) < 16; {
		if id == base || id == tip {
			return list, nil
		}
		c, ok, err := cs.history.findCommit(id)
		if err != nil || !ok {
			return nil, err
		}
		list = append(list, id)
		if len(c.Parents) != 1 {
			break
		}
		id = c.Parents[0]
	}
	args := []string{"rev-list", "--topo-order", fmt.Sprintf("--max-count=%d", maxNewCommits+1), string(commit), "^" + string(tip)}
	out, err := cs.repo.Git(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	list = lists.Of(strings.Fields(string(out)), func(id string) git.ID { return git.ID(id) })
	if len(list) > maxNewCommits {
		return nil, unsoundf("%s brings more than %d commits", commit.Short(), maxNewCommits)
	}
	return list, nil
}

func (j *objectChecker) checkCommit(ctx context.Context, id git.ID) error {
	c, ok, err := j.commits.history.findCommit(id)
	if err != nil || !ok {
		return errors.Join(err, ctx.Err())
	}
	if err := checkCommit(c.Raw, j.commits.repo.HashLen()); err != nil {
		return unsoundf("commit %s is not as git writes it: %v", id.Short(), err)
	}
	var old []git.ID
	for _, parent := range c.Parents {
		p, ok, err := j.commits.history.findCommit(parent)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if ok {
			old = append(old, p.Tree)
		}
	}
	j.commit, j.parents = id, len(old)
	if j.asked {
		j.searchKeys("", id, "", []byte(c.Message))
	}
	if err := j.checkFolder(ctx, "", c.Tree, old); err != nil {
		if u, is := errors.AsType[*unsound](err); is {
			return &unsound{u.reason + " in commit " + id.Short(), u.mend}
		}
		return err
	}
	return nil
}

// checkFolder checks a folder that differs from all old ones, and its new
// entries.
func (j *objectChecker) checkFolder(ctx context.Context, dir string, id git.ID, old []git.ID) error {
	if slices.Contains(old, id) {
		return ctx.Err()
	}
	if j.folders++; j.folders > git.MaxChanges {
		return tooMuch("there are more than %d new folders", git.MaxChanges)
	}
	data, err := j.commits.objects.RawTree(id, git.MaxTree)
	if large, is := errors.AsType[*git.TooLarge](err); is {
		return tooMuch("the folder %.200q has %d bytes", dir, large.Size)
	}
	if err != nil {
		return err
	}
	if j.bytes += len(data); j.bytes > git.MaxTreeBytes {
		return tooMuch("there are more than %d bytes of new folders", git.MaxTreeBytes)
	}
	if err := checkTree(data, j.commits.repo.HashLen()/2); err != nil {
		return unsoundTree("the folder %.200q is not as git writes it: %v", dir, err)
	}
	entries, err := git.ParseTree(data, j.commits.repo.HashLen()/2)
	if err != nil {
		return err
	}
	before, err := j.listBefore(ctx, old)
	if err != nil {
		return err
	}
	for _, e := range entries {
		was := before[e.Name]
		delete(before, e.Name)
		if slices.Contains(was, e) {
			continue
		}
		if err := errors.Join(j.checkEntry(dir+e.Name, e, was), ctx.Err()); err != nil {
			return err
		}
		if e.Mode == git.ModeTree {
			was = lists.Where(was, func(w git.Entry) bool { return w.Mode == git.ModeTree })
			inside := lists.Of(was, func(w git.Entry) git.ID { return w.ID })
			err = j.checkFolder(ctx, dir+e.Name+"/", e.ID, inside)
		} else {
			err = j.noteChange(dir+e.Name, was, e)
		}
		if err != nil {
			return err
		}
	}
	return j.noteGone(ctx, dir, before)
}

// listBefore are the entries of the old folders by name.
func (j *objectChecker) listBefore(ctx context.Context, old []git.ID) (map[string][]git.Entry, error) {
	before := map[string][]git.Entry{}
	for _, id := range old {
		entries, err := j.commits.objects.Tree(id)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		for _, e := range entries {
			before[e.Name] = append(before[e.Name], e)
		}
	}
	return before, nil
}

// checkEntry checks a new or changed entry. A name that existed before is
// accepted as the project has it, unless a link replaces it.
func (j *objectChecker) checkEntry(path string, e git.Entry, was []git.Entry) error {
	link := e.Mode == git.ModeSymlink
	if len(was) == 0 || link {
		if why := badPlatformName(e.Name, link); why != "" {
			return unsoundPath(path, "%.300q %s", path, why)
		}
	}
	switch {
	case len(path) > maxFilePath:
		return unsoundPath(path, "a path has %d bytes, and no system accepts more than %d: %.200q", len(path), maxFilePath, path)
	case strings.Count(path, "/") >= maxFolders:
		return unsoundPath(path, "a path has more than %d folders: %.200q", maxFolders, path)
	case e.Mode != git.ModeBlob && e.Mode != git.ModeExecutable:
		return nil
	case ntfsModules().MatchString(e.Name) || hfsFolded(e.Name) == ".gitmodules":
		return j.checkContent(path, e.ID, checkModules)
	case hfsFolded(e.Name) == ".gitattributes":
		return j.checkContent(path, e.ID, checkAttributes)
	}
	return nil
}

// maxGitFile bounds .gitmodules and .gitattributes, in bytes.
const maxGitFile = 1 << 20

func (j *objectChecker) checkContent(path string, id git.ID, check func([]byte) error) error {
	data, err := j.commits.objects.ReadKind(id, "blob", maxGitFile)
	if large, is := errors.AsType[*git.TooLarge](err); is {
		return unsoundPath(path, "%.200q has %d bytes, at most %d are read", path, large.Size, maxGitFile)
	}
	if err == nil {
		if bad := check(data); bad != nil {
			return unsoundPath(path, "%.200q: %v", path, bad)
		}
	}
	return err
}

// checkTree checks a folder as fsck_tree of git's fsck.c does, and its modes
// against those that git writes.
func checkTree(data []byte, hashSize int) error {
	last, seen := "", map[string]bool{}
	for len(data) > 0 {
		space, end := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || end < space || len(data) < end+1+hashSize {
			return errors.New("it is cut short")
		}
		mode, name, hash := string(data[:space]), string(data[space+1:end]), data[end+1:end+1+hashSize]
		data = data[end+1+hashSize:]
		sorted := name
		switch mode {
		case "40000":
			sorted += "/"
		case "100644", "100755", "120000", "160000":
		default:
			return fmt.Errorf("%.100q has the mode %.20q", name, mode)
		}
		switch {
		case seen[name]:
			return fmt.Errorf("it has %.100q twice", name)
		case sorted < last:
			return fmt.Errorf("%.100q is out of order", name)
		case git.IsBadName(name):
			return fmt.Errorf("%.100q is not a file name", name)
		case strings.Trim(hex.EncodeToString(hash), "0") == "":
			return fmt.Errorf("%.100q has the null id", name)
		}
		last, seen[name] = sorted, true
	}
	return nil
}

// checkAttributes refuses lines that git's fsck refuses.
func checkAttributes(data []byte) error {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(line) >= 2048 {
			return errors.New("a line has more than 2047 bytes")
		}
	}
	return nil
}

// checkModules refuses names, paths, addresses and update commands of
// submodules that could harm a clone. It is stricter than git's fsck, because
// it does not parse the lines.
func checkModules(data []byte) error {
	for line := range strings.SplitSeq(string(data), "\n") {
		text := strings.ToLower(strings.TrimSpace(line))
		key, value, _ := strings.Cut(text, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch {
		case strings.HasPrefix(text, "[") && (strings.Contains(text, "..") || !strings.HasSuffix(text, "]")):
			return fmt.Errorf("the section %.100q is not accepted", text)
		case strings.HasSuffix(text, `\`), strings.ContainsAny(text, "\x00\r"):
			return errors.New("a line continues in the next, or holds control characters")
		case strings.HasPrefix(value, "-"), strings.HasPrefix(value, "!"), strings.Contains(value, `\n`), strings.Contains(value, "%0a"):
			return fmt.Errorf("%.40q is %.100q, which git could take for an option or a command", strings.TrimSpace(key), value)
		}
	}
	return nil
}
