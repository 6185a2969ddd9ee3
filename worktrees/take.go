package worktrees

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Take brings what was committed inside the checkout called name to the clone: objects,
// then the task's branch and the entry. It is no error if there is no such checkout. The
// error is an *Obstacle if what is inside is no repository that this program made.
func (t *Trees) Take(ctx context.Context, name string) error {
	return t.whole(ctx, name, t.insides.take)
}

// whole does something with the record of the checkout called name, if there is one that is whole.
func (g *registry) whole(ctx context.Context, name string, do func(context.Context, *record) error) error {
	path := g.Path(name)
	entry, err := git.EntryOf(g.common, filepath.Join(resolveLinks(path), ".git"))
	if err != nil {
		return nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		return &Obstacle{Path: path, Reason: "is a link, where the folder of a worktree was", Hint: "rm " + shell.Quote(path)}
	}
	r := record{gitDir: entry, name: name}
	if known, err := g.readRecord(ctx, &r, folderLinks{}); err != nil || !known || !r.own || r.gone || r.alien {
		return err
	}
	return do(ctx, &r)
}

// takeHolders is Take of each checkout that has a branch.
func (t *Trees) takeHolders(ctx context.Context, branch string) error {
	return t.each(ctx, func(r record) error {
		if r.own && (r.hasBranch(branch) || taskBranch(r.name) == branch) {
			return t.insides.take(ctx, &r)
		}
		return nil
	})
}

// Find returns the checkout called name; false if there is none or it is
// broken. What was committed inside is the clone's then.
func (t *Trees) Find(ctx context.Context, name string) (Tree, bool, error) {
	_ = t.sweepUndone(ctx) // what cannot be removed is Branch's to say
	if t.lacksEntry(resolveLinks(t.Path(name))) {
		unlock, err := t.lockName(ctx, name)
		if err != nil {
			return Tree{}, false, err
		}
		unlock()
	}
	if err := t.Take(ctx, name); err != nil {
		return Tree{}, false, err
	}
	records, err := t.records(ctx)
	if r, known := findRecord(records, name); known {
		tree := t.treeOf(r)
		return tree, !tree.Broken, nil
	}
	return Tree{}, false, err
}

// A face is what the repository inside has checked out.
type face struct {
	branch string // "" if HEAD is detached
	head   ID
	tip    ID // of the task's branch, "" if it is gone
}

// take brings what was committed inside a checkout to the clone, and changes the record.
func (i *insides) take(ctx context.Context, r *record) error {
	if !r.own || r.hasNoHead() { // the entry is made again
		return nil
	}
	if _, _, agreed, err := i.compare(r); err != nil || agreed == r.head {
		return err
	}
	unlock, err := i.lock(ctx, *r)
	if err != nil {
		return err
	}
	defer unlock()
	// Another process may have taken it meanwhile.
	if _, err := i.registry.readRecord(ctx, r, folderLinks{}); err != nil {
		return err
	}
	mine, f, agreed, err := i.compare(r)
	if err != nil || agreed == r.head {
		return err
	}
	if r.head != agreed && r.head != "" && f.head == agreed && f.branch == r.branch {
		return i.handDown(ctx, *r) // a process of ours died before it did
	}
	pins, err := i.takeObjects(ctx, *r, f)
	if err != nil {
		return err
	}
	if err := i.takeContents(ctx, *r); err != nil {
		return err
	}
	if err := i.takeBranch(ctx, r, mine, f, pins); err != nil {
		return err
	}
	if err := i.takeHead(ctx, r, mine, f); err != nil {
		return err
	}
	return i.takeIndex(ctx, *r)
}

// lock waits until no other process makes one side of a checkout like the other.
func (i *insides) lock(ctx context.Context, r record) (unlock func(), err error) {
	return i.registry.locks.lock(ctx, "take-"+lockStripe(r.name))
}

// compare reads what the repository inside has, and the last commit that both sides had, which
// is the record's where nothing differs. mine is the branch of the task.
func (i *insides) compare(r *record) (mine string, f face, agreed ID, err error) {
	if mine = r.branch; mine == "" {
		mine = taskBranch(r.name)
	}
	if f, err = i.readFace(*r, mine); err != nil || f.head == "" {
		return mine, f, r.head, err // nothing is committed there
	}
	if task := taskBranch(r.name); task != "" && f.branch == task {
		mine, f.tip = task, f.head // the clone's may have got another name
	}
	if f.branch != mine {
		r.inner, r.lost = f.branch, f.tip == ""
	}
	agreed = i.agreed(*r)
	if agreed == r.head && (f.branch != r.branch || f.head != r.head) {
		agreed = ""
	}
	return mine, f, agreed, nil
}

// takeObjects brings the objects of the commits that the clone lacks. What it returns keeps them.
func (i *insides) takeObjects(ctx context.Context, r record, f face) ([]git.RefUpdate, error) {
	given, err := i.repo.Refs.Resolve(ctx, givenPin)
	if err != nil {
		given = "" // it is only there to bring less
	}
	var lacking []ID
	var revs []string
	for _, id := range []ID{f.head, f.tip, r.head, given} {
		switch {
		case id == "" || slices.Contains(lacking, id):
		case id == r.head || id == given:
			revs = append(revs, "^"+string(id))
		default:
			lacks, err := i.lacks(ctx, id)
			if err != nil {
				return nil, err
			}
			if lacks {
				lacking, revs = append(lacking, id), append(revs, string(id)+"^{commit}")
			}
		}
	}
	if err = nil; len(lacking) > 0 {
		err = i.bring(ctx, r, r.inside(), i.registry.common, revs)
	}
	for _, id := range []ID{f.head, f.tip} {
		if err == nil && id != "" {
			err = checkSize(ctx, i.repo, r, id, r.head, given)
		}
	}
	if err != nil || len(lacking) == 0 {
		return nil, err
	}
	return i.keep(ctx, r, lacking...)
}

// checkSize refuses a commit that git would expand to more files than it can count, as nested folders
// do. It has to differ little from one of those that the clone has, such as integration's.
func checkSize(ctx context.Context, repo *git.Repo, r record, id ID, known ...ID) error {
	var obstacle error
	for _, base := range known {
		if base == "" {
			continue
		}
		_, err := repo.Changes(ctx, base, id)
		limit, is := errors.AsType[*git.Limit](err)
		if !is {
			return nil // what else is wrong is said where it is read
		}
		obstacle = &Obstacle{Path: r.path, Reason: "has a commit that is not read: " + limit.Reason, Hint: "git -C " + shell.Quote(r.path) + " reset -q " + string(r.head)}
	}
	return obstacle
}

// bring brings what revs lead to, as [git.TakeObjects] has them, from a git directory in a checkout
// to the one in the clone from which that borrows. The error is an *Obstacle if it cannot be
// trusted.
func (i *insides) bring(ctx context.Context, r record, inside, common string, revs []string) error {
	from, to := filepath.Join(inside, "objects"), filepath.Join(common, "objects")
	for _, dir := range []string{from, filepath.Join(from, "info"), filepath.Join(from, "pack")} {
		if info, err := os.Lstat(dir); !isAbsent(err) && (err != nil || !info.IsDir()) {
			return &Obstacle{Path: dir, Reason: "is no folder of git's"}
		}
	}
	path, ours := filepath.Join(from, "info", "alternates"), i.alternates(r, from, common)
	if named, err := git.ReadSmall(path); err != nil || string(named) != ours {
		hint := "rm -rf " + shell.Quote(path) + " && printf '%s\\n'" // it may be a link to another file
		for line := range strings.SplitSeq(strings.TrimSpace(ours), "\n") {
			hint += " " + shell.Quote(line)
		}
		return &Obstacle{Path: path, Reason: "does not name the objects of the clone alone", Hint: hint + " >" + shell.Quote(path)}
	}
	if err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Type().IsRegular() {
			return nil // git says what it cannot read
		}
		return &Obstacle{Path: path, Reason: "is no file of git's, and git may wait for it", Hint: "rm " + shell.Quote(path)}
	}); err != nil {
		return err
	}
	dir, release, err := i.scratch.makeScratch()
	if err != nil {
		return err
	}
	defer release()
	err = git.TakeObjects(ctx, i.repo, from, to, filepath.Join(dir, "objects"), revs)
	if git.ExitCode(err) > 0 {
		return &Obstacle{Path: r.path, Reason: "has commits that cannot be read: " + err.Error(), Hint: "git -C " + shell.Quote(r.path) + " fsck --full --no-dangling"}
	}
	return err
}

// lacks reports whether the clone lacks a commit, or what leads from it: garbage collection and
// a power cut may leave a part.
func (i *insides) lacks(ctx context.Context, id ID) (bool, error) {
	objects := i.repo.Objects(ctx)
	if _, _, err := objects.Read(id); err != nil {
		if errors.Is(err, git.ErrNoObject) {
			err = nil
		}
		return true, err
	}
	incomplete, err := i.repo.IncompleteCommits(ctx, map[string]ID{"": id})
	return len(incomplete) > 0, err
}

// takeBranch moves the task's branch, if it is free, to where it is inside, while the checkout
// is on it, or forward. It makes it again where it is checked out inside. The pins move with it.
func (i *insides) takeBranch(ctx context.Context, r *record, mine string, f face, pins []git.RefUpdate) error {
	moves := false
	if ref := "refs/heads/" + mine; mine != "" && f.tip != "" {
		old, err := i.repo.Refs.Resolve(ctx, ref)
		if err == nil && old != f.tip {
			moves, err = i.mayMove(ctx, *r, mine, old, f)
		}
		if err != nil {
			return err
		}
		if moves {
			pins = append(pins, git.RefUpdate{Name: ref, Old: old, New: f.tip})
		}
	}
	if err := i.repo.Refs.MoveRefs(ctx, pins, "git liza: work of "+r.name); err != nil {
		return err
	}
	if moves && r.branch == mine {
		r.head = f.tip
	}
	return nil
}

// mayMove reports whether a checkout may move a branch that is free: it is on it, or nobody else
// is, and nothing gets lost.
func (i *insides) mayMove(ctx context.Context, r record, branch string, from ID, f face) (bool, error) {
	if !i.isFree(ctx, branch) {
		return false, nil
	}
	if r.branch == branch || from == "" && f.branch == branch {
		return true, nil
	}
	records, err := i.registry.records(ctx)
	if err != nil || slices.ContainsFunc(records, func(o record) bool { return o.gitDir != r.gitDir && o.hasBranch(branch) }) {
		return false, err
	}
	if from == "" {
		return false, nil // the clone needs it no more
	}
	return i.repo.IsAncestor(ctx, from, f.tip)
}

// takeHead has the entry on the branch, or at the commit, that is checked out inside.
func (i *insides) takeHead(ctx context.Context, r *record, mine string, f face) error {
	if f.branch != "" && f.branch == mine {
		tip, err := i.repo.Refs.Resolve(ctx, "refs/heads/"+mine)
		if err != nil {
			return err
		}
		if tip == f.head {
			if r.branch != mine {
				if _, err := i.isolation.run(ctx, *r, git.Cmd{Args: []string{"symbolic-ref", "HEAD", "refs/heads/" + mine}}); err != nil {
					return err
				}
			}
			if r.branch != "" && r.branch != mine && i.repo.Notice != nil {
				i.repo.Notice(fmt.Sprintf("%s: its branch in the clone is %s again; what it was renamed to stays: git branch -D %s", r.name, mine, shell.Quote(r.branch)))
			}
			r.branch, r.head = mine, tip
			return nil
		}
	}
	if r.branch != "" || r.head != f.head {
		if err := i.repo.Refs.DetachHead(ctx, r.gitDir, r.head, f.head, "git liza: as in "+r.name); err != nil {
			return err
		}
	}
	r.branch, r.head = "", f.head
	return nil
}

// takeIndex has the index of the entry be that of its HEAD. One that is lost is made by writing
// the files elsewhere: only then git notes which of them a sparse checkout lacks.
func (i *insides) takeIndex(ctx context.Context, r record) error {
	how := []string{"-m", "-i"}
	at := r
	if !fileExists(filepath.Join(r.gitDir, "index")) {
		dir, release, err := i.scratch.makeScratch()
		if err != nil {
			return err
		}
		defer release()
		at.path, how = dir, []string{"--reset", "-u", "--no-recurse-submodules"}
	}
	if err := i.fillCheckout(ctx, at, slices.Concat([]string{"read-tree"}, how, []string{string(r.head)})...); err != nil {
		return err
	}
	return i.noteTaken(r)
}

// readFace reads what is checked out inside. Nothing there is followed out of it.
func (i *insides) readFace(r record, mine string) (f face, err error) {
	root, err := os.OpenRoot(r.inside())
	if err != nil {
		return f, r.fault(err)
	}
	defer root.Close()
	if _, err := root.Lstat("reftable/tables.list"); err == nil {
		return f, &Obstacle{Path: r.path, Reason: "keeps its refs in reftables, which are not read", Hint: "git -C " + shell.Quote(r.path) + " refs migrate --ref-format=files"}
	}
	head, err := readIn(root, "HEAD")
	if err != nil {
		return f, r.fault(err)
	}
	if ref, symbolic := strings.CutPrefix(head, "ref:"); symbolic {
		ref = strings.TrimSpace(ref)
		f.branch = strings.TrimPrefix(ref, "refs/heads/")
		f.head = i.readRefIn(root, ref)
	} else if i.repo.CheckID(ID(head)) == nil {
		f.head = ID(head)
	}
	if mine != "" {
		f.tip = i.readRefIn(root, "refs/heads/"+mine)
	}
	return f, nil
}

// holdsMore reports whether a branch, a tag, a stash or HEAD inside, or that of a worktree which was
// added there, names a commit that the clone lacks or has by the pins of checkouts alone.
func (i *insides) holdsMore(ctx context.Context, r record) (bool, error) {
	if !r.own {
		return false, nil
	}
	refs := i.refsAt(r.inside())
	if refs == nil || fileExists(filepath.Join(r.inside(), "reftable", "tables.list")) {
		return true, nil
	}
	var tips []byte
	for _, added := range git.PathsIn(filepath.Join(r.inside(), "worktrees"), "", "") {
		head, _ := git.ReadSmall(filepath.Join(added, "HEAD"))
		if id := ID(strings.TrimSpace(string(head))); i.repo.CheckID(id) == nil {
			tips = fmt.Appendln(tips, id)
		}
	}
	for name, id := range refs {
		if !strings.HasPrefix(name, "refs/remotes/") {
			tips = fmt.Appendln(tips, id)
		}
	}
	// All of the clone's refs but pins, of which the one of what was given is the clone's.
	more, err := i.isolation.run(ctx, r, git.Cmd{Limit: slow, Stdin: tips, Env: []string{"GIT_NO_LAZY_FETCH=1"},
		Args: []string{"rev-list", "--max-count=1", "--not", "--exclude=" + layout.PinRefs + "[!@]*", "--glob=refs/", "--not", "--stdin"}})
	return len(more) > 0 || err != nil, ctx.Err() // git fails where the clone lacks one
}

// innerRefs are the refs inside, and the objects that they name.
func (i *insides) innerRefs(root *os.Root) map[string]ID {
	text, _ := readIn(root, "packed-refs")
	refs := i.parsePacked(text)
	_ = fs.WalkDir(root.FS(), "refs", func(name string, _ fs.DirEntry, _ error) error {
		if text, err := readIn(root, name); err == nil && i.repo.CheckID(ID(text)) == nil {
			refs[name] = ID(text)
		}
		return nil
	})
	return refs
}

// Renew has what is inside the checkout called name know the clone's branches as they are.
// It is no error if there is no such checkout.
func (t *Trees) Renew(ctx context.Context, name string) error {
	return t.whole(ctx, name, t.insides.renew)
}

// readRefIn is the commit that a ref inside names, "" if it names none.
func (i *insides) readRefIn(root *os.Root, ref string) ID {
	if text, err := readIn(root, ref); err == nil {
		if i.repo.CheckID(ID(text)) != nil {
			return ""
		}
		return ID(text)
	}
	packed, _ := readIn(root, "packed-refs")
	return i.parsePacked(packed)[ref]
}

// readIn reads a small regular file below a folder, without the space around its text.
func readIn(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 16<<20 {
		return "", fmt.Errorf("%s is no file of git's", name)
	}
	text, err := root.ReadFile(name)
	return strings.TrimSpace(string(text)), err
}
