package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Doctor looks for what would make work fail in a clone.
type Doctor struct {
	repo        *git.Repo
	store       *gitstore.Store
	checkouts   *Checkouts
	integration *Integration
	trust       *Trust
	environ     []string // of commands of the board
}

// A Finding is the result of one check of doctor.
type Finding struct {
	Check string `json:"check"`
	State string `json:"state"` // ok, warn, or fail where work would fail
	Text  string `json:"text"`
	Hint  string `json:"hint,omitempty"` // the command that repairs it
}

func fine(check, text string, args ...any) Finding {
	return Finding{Check: check, State: "ok", Text: fmt.Sprintf(text, args...)}
}

func bad(check, hint, text string, args ...any) Finding {
	return Finding{Check: check, State: "fail", Hint: hint, Text: fmt.Sprintf(text, args...)}
}

// Examine looks for everything that would make work fail in this clone. It
// changes nothing.
func (d *Doctor) Examine(ctx context.Context) []Finding {
	list, works := d.machine(ctx)
	if !works {
		return list
	}
	b, tip, err := d.store.Board(ctx)
	if err != nil {
		return append(list, unreadableBoard(err))
	}
	list = append(list, d.sound(ctx, b, tip), d.clock(b), d.branch(ctx, b), d.objects(ctx, b), d.principals(ctx, b), d.locked(b, 0))
	return slices.Concat(list,
		d.Unmerged(ctx, b), d.refNames(ctx, b), d.remote(ctx, b), d.brokenRefs(ctx, b),
		d.strangeEntries(), d.unusable(), d.leftovers(ctx, b), d.kept(ctx, b), d.earlier(), d.byHand(ctx),
		[]Finding{d.confinement(ctx)}, d.programs(ctx, b, func(k BoardCommand) bool { return k.Before != 0 }),
		d.untrusted(ctx, b, func(k BoardCommand) bool { return !k.extension }))
}

// machine looks at git, the repository and the disk. Where git does not work, everything
// else would be blamed for it.
func (d *Doctor) machine(ctx context.Context) (list []Finding, works bool) {
	git := d.git(ctx)
	if git.State != "ok" {
		return []Finding{git}, false
	}
	list = append([]Finding{git, d.identity(ctx), d.format(ctx), d.writable()}, d.Disk()...)
	return append(list, d.room()...), true
}

// git has git read the configuration as whatever moves refs does, in a transaction without
// any, and as whatever reads objects: much of git liza reads both in process, and looks at no
// key that it does not need.
func (d *Doctor) git(ctx context.Context) Finding {
	_, err := d.repo.Git(ctx, "update-ref", "--stdin")
	if err == nil {
		err = git.CheckReading(ctx, d.repo)
	}
	if err != nil {
		hint := "git config --show-origin --list"
		if strings.Contains(err.Error(), "multi-pack-index") { // as a power cut leaves it; packs have indexes of their own
			hint = "rm -f " + shell.Quote(filepath.Join(d.repo.ObjectDir(), "pack", "multi-pack-index"))
		}
		return bad("git", hint, "version %s does not work here: %v", d.repo.GitVersion(), err)
	}
	return fine("git", "version %s", d.repo.GitVersion())
}

func (d *Doctor) identity(ctx context.Context) Finding {
	name, email, err := d.repo.Config.Identity(ctx)
	if err != nil {
		return bad("identity", "git config user.name NAME && git config user.email ADDRESS", "%v", err)
	}
	return fine("identity", "%s <%s>", name, email)
}

func (d *Doctor) format(ctx context.Context) Finding {
	format := "sha1"
	if d.repo.HashLen() == 64 {
		format = "sha256"
	}
	for _, key := range []string{"extensions.refstorage", "extensions.partialclone", "extensions.worktreeconfig"} {
		value, err := d.repo.Config.Config(ctx, key)
		if err != nil {
			return bad("format", "git config --list", "%v", err)
		}
		if value != "" {
			format += ", " + strings.TrimPrefix(key, "extensions.") + " " + value
		}
	}
	if d.checkouts.Trees == nil {
		return bad("format", "git clone "+d.repo.CommonDir()+" CLONE && cd CLONE", "%s, bare: there is no work tree to put task worktrees into", format)
	}
	return fine("format", "%s", format)
}

func (d *Doctor) writable() Finding {
	dir := d.repo.CommonDir()
	if err := unix.Access(dir, unix.W_OK); err != nil {
		return bad("writable", "ls -ld "+dir, "%v", &fs.PathError{Op: "write", Path: dir, Err: err})
	}
	return fine("writable", "%s", dir)
}

// RepairBoard is the command that repairs a board whose last move does not
// replay.
const RepairBoard = "git liza fsck --repair"

func unreadableBoard(err error) Finding {
	var refusal *flow.Refusal
	hint := RepairBoard
	switch {
	case errors.Is(err, gitstore.ErrNoBoard):
		hint = "git liza init"
	case errors.Is(err, git.ErrSymbolicRef):
		hint = "git liza doctor --restore"
	case errors.As(err, &refusal):
		hint = refusal.Hint
	}
	return bad("board", hint, "%v", err)
}

func (d *Doctor) sound(ctx context.Context, b *board.Board, tip board.ObjectID) Finding {
	if err := d.store.Audit.Vouch(ctx, tip); err != nil {
		return bad("board", RepairBoard, "%v", err)
	}
	if err := flow.Check(b); err != nil {
		return bad("board", "git liza fsck --full", "%v", err)
	}
	s := b.Settings()
	return fine("board", "readable, format %d, %d live tasks, %s", s.Format, len(b.Tasks()), s.Control.State)
}

// clock compares the time of the board's last move with this machine's clock.
// Moves are refused if the clock is more than a minute behind.
func (d *Doctor) clock(b *board.Board) Finding {
	now := d.store.Now()
	if ahead := b.At().Sub(now); ahead > time.Minute {
		return bad("clock", "date --utc", "the board's last move is %s ahead of this machine, whose clock says %s; if it is right, this takes back what is dated so: git liza fsck --repair --ahead", ahead, now.Format(time.RFC3339))
	}
	return fine("clock", "%s, the last move %s", now.Format(time.RFC3339), b.At().Format(time.RFC3339))
}

// branch compares the branch with the tip that the board names.
func (d *Doctor) branch(ctx context.Context, b *board.Board) Finding {
	const check, restore = "integration", "git liza doctor --restore"
	want := b.Settings().Integration
	ref := want.Ref()
	now, err := d.repo.Refs.Direct(ctx, ref)
	switch {
	case err != nil:
		return bad(check, restore, "%v", err)
	case now == want.Tip:
		if from, _, stray := d.integration.strayLog(want.Name); stray {
			return Finding{check, "warn", "its reflog is at " + from + " since a rename was refused, and git renames no branch", restore}
		}
		if ahead := d.integration.Ahead(ctx, b); ahead != nil {
			return Finding{check, "warn", fmt.Sprintf("%s at %s; %s, and tasks begin without that", want.Name, now.Short(), ahead.Text), ahead.Hint}
		}
		return fine(check, "%s at %s", want.Name, now.Short())
	case now == "":
		return bad(check, restore, "there is no branch %s, the board has it at %s", want.Name, want.Tip.Short())
	}
	if unread, err := d.repo.UnreadableObjects(ctx, []git.ID{now}, 1); err == nil && len(unread) > 0 {
		return bad(check, restore, "%s is at %s, which cannot be read; the board has it at %s", want.Name, now.Short(), want.Tip.Short())
	}
	moved := func(hint, how string) Finding {
		return bad(check, hint, "%s is at %s, %s %s, where the board has it", want.Name, now.Short(), how, want.Tip.Short())
	}
	if ahead, err := d.repo.IsAncestor(ctx, want.Tip, now); err == nil && ahead {
		return moved(d.store.Settler.StrayHint(ctx, b, now), "ahead of")
	}
	if behind, err := d.repo.IsAncestor(ctx, now, want.Tip); err == nil && behind {
		return moved(restore, "behind")
	}
	return moved(restore, "beside")
}

// objects reads the objects that open work builds on.
func (d *Doctor) objects(ctx context.Context, b *board.Board) Finding {
	n, err := d.store.Audit.CheckTips(ctx, b)
	var damaged *gitstore.Damaged
	switch {
	case errors.As(err, &damaged):
		return bad("objects", damaged.Hint, "%v", damaged)
	case err != nil:
		return bad("objects", "git fsck --full --no-dangling", "%v", err)
	}
	return fine("objects", "integration and %d more commits can be read", n-1)
}

// RestoreRefs mends the objects and refs that git cannot read, as
// [gitstore.Repairer.RestoreRefs] does: what stands in a work tree is written again. It
// returns what it has mended, also beside an error.
func (d *Doctor) RestoreRefs(ctx context.Context) ([]Restored, error) {
	b, _, err := d.store.Board(ctx)
	var restored []Restored
	if errors.Is(err, git.ErrSymbolicRef) {
		done, failed := d.store.Repairer.Repair(ctx)
		if failed != nil {
			return nil, failed
		}
		restored = append(restored, Restored{Ref: layout.State, Is: done.Is})
		b, _, err = d.store.Board(ctx)
	}
	if err != nil {
		return restored, err
	}
	rewrite := func(context.Context) error { return nil }
	if d.checkouts.Trees != nil {
		rewrite = d.checkouts.Trees.Contents.RewriteObjects
	}
	list, err := d.store.Repairer.RestoreRefs(ctx, b, rewrite)
	return append(restored, lists.Of(list, func(r gitstore.RestoredRef) Restored { return Restored{Ref: r.Ref, Was: r.Was, Is: r.Is} })...), err
}

// CutLost takes objects that are lost out of indexes and reflogs: git packs what these
// lead to as it packs what refs lead to.
func (d *Doctor) CutLost(ctx context.Context) error {
	if d.checkouts.Trees != nil {
		if err := d.checkouts.Trees.Contents.MendIndexes(ctx); err != nil {
			return err
		}
	}
	return git.CutReflogs(ctx, d.repo)
}

// brokenRefs returns the refs that git cannot read.
func (d *Doctor) brokenRefs(ctx context.Context, b *board.Board) []Finding {
	list, err := d.store.Audit.CheckRefs(ctx, b)
	if err != nil {
		return []Finding{bad("refs", "git for-each-ref", "%v", err)}
	}
	return lists.Of(list, func(one *gitstore.Damaged) Finding {
		return bad("refs", one.Hint, "%v; until then git fetches nothing here, or packs nothing", one)
	})
}

// locked reports the locks that are older than a time. Younger ones may be those of a
// move that is being made.
func (d *Doctor) locked(b *board.Board, older time.Duration) Finding {
	locks, err := d.Locks(b.Settings().Integration.Name)
	locks = slices.DeleteFunc(locks, func(l Lock) bool { return l.Age < older })
	if err != nil {
		return bad("locks", "git liza doctor --unlock", "%v", err)
	}
	if len(locks) == 0 {
		return fine("locks", "none")
	}
	names := lists.Of(locks, func(l Lock) string { return fmt.Sprintf("%s, %s old", l.Path, l.Age) })
	return bad("locks", "git liza doctor --unlock", "%s", someOf(names))
}

// holderOf returns who claimed the task of a checkout, or reviews in it, as one word
// of a command; a placeholder if nobody does any more.
func holderOf(b *board.Board, k Checkout) string {
	t := b.Task(k.Task)
	switch {
	case t == nil:
	case k.Submission > 0:
		if j := t.Judgement(k.Role); j.Review != nil {
			return shell.Quote(string(j.Review.By))
		}
		return "REVIEWER"
	case t.Claim != nil:
		return shell.Quote(string(t.Claim.By))
	}
	return "CODER"
}

// leftovers reports checkouts that are not needed any more or are incomplete.
func (d *Doctor) leftovers(ctx context.Context, b *board.Board) []Finding {
	list, err := d.checkouts.List(ctx, b)
	if err != nil {
		return []Finding{bad("worktrees", "git worktree list", "%v", err)}
	}
	var stale []string
	var found []Finding
	for _, k := range list {
		switch {
		case k.Stale:
			stale = append(stale, k.Name)
		case k.Broken && k.Submission > 0:
			found = append(found, Finding{"worktrees", "warn", k.Path + " is missing or half made", "git liza review " + string(k.Task) + " --as " + holderOf(b, k)})
		case k.Broken && k.Task != "":
			found = append(found, Finding{"worktrees", "warn", k.Path + " is missing or half made", "git liza claim " + string(k.Task) + " --as " + holderOf(b, k)})
		}
	}
	found = append(found, d.unclaimedLeftovers(ctx)...)
	if len(stale) > 0 {
		found = append(found, Finding{"worktrees", "warn", "left over: " + someOf(stale), "git liza worktree prune"})
	}
	if len(found) == 0 {
		return []Finding{fine("worktrees", "%d, none left over", len(list))}
	}
	return found
}

// strangeEntries reports foreign files in the folders where our own processes
// keep their entries.
func (d *Doctor) strangeEntries() []Finding {
	paths, harm, err := gitstore.StrangeFiles(d.repo)
	if err != nil {
		return []Finding{bad("entries", "ls -l "+d.repo.CommonDir()+"/liza", "%v", err)}
	}
	var found []Finding
	for _, path := range paths {
		f := Finding{"entries", "warn", path + ": not an entry of git liza, so it is ignored", "mv " + shell.Quote(path) + ` "$(mktemp -d)"`}
		if harm {
			f.State, f.Text = "fail", path+": not a folder, so no move can be made"
		}
		found = append(found, f)
	}
	return found
}

// unusable reports files and folders of moves that are another user's, as commands leave
// that were run by sudo.
func (d *Doctor) unusable() []Finding {
	if d.checkouts.Trees == nil {
		return nil // no move waits on a server
	}
	list, err := gitstore.UnusableFiles(d.repo)
	if err != nil {
		return []Finding{bad("entries", "ls -l "+d.repo.CommonDir()+"/liza", "%v", err)}
	}
	return lists.Of(list, func(one gitstore.UnusableFile) Finding {
		return bad("entries", one.Hint, "%s is another user's, or closed to its owner: moves that have to wait fail on it", one.Path)
	})
}

// unclaimedLeftovers reports leftovers of dead processes around checkouts whose owner is
// unknown.
func (d *Doctor) unclaimedLeftovers(ctx context.Context) []Finding {
	if d.checkouts.Trees == nil {
		return nil
	}
	list, err := d.checkouts.Trees.Leftovers.List(ctx)
	if err != nil {
		return []Finding{bad("worktrees", "git worktree list", "%v", err)}
	}
	var found []Finding
	for _, left := range list {
		f := Finding{"worktrees", "warn", left.Path + ": " + left.Text, left.Hint}
		if left.Harm {
			f.State = "fail"
		}
		found = append(found, f)
	}
	return found
}
