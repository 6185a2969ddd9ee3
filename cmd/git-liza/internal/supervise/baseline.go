package supervise

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
	"github.com/git-liza/git-liza/worktrees"
)

// A baseline is the state of the board, the integration branch and the hooks before a
// session. After the session the supervisor puts back what the session changed there
// against the rules, and the settings (see [sessionSettings]).
type baseline struct {
	refs   work.Baseline
	hooks  stubs.Earlier
	around map[string]git.ID // see [workplace.readAround]
	alone  bool
}

// takeBaseline notes board, integration and hooks as they are before a session.
func (p *workplace) takeBaseline(ctx context.Context) (g baseline, err error) {
	g.alone = p.rush.sessions.Add(1) == 1
	if g.refs, err = p.clone.Integration.TakeBaseline(ctx); err == nil {
		g.hooks, err = stubs.Remember(ctx, p.clone.Repo)
	}
	if err == nil {
		err = p.rush.settings.beginSession(ctx, p.clone)
	}
	if err != nil {
		p.rush.sessions.Add(-1)
		return g, err
	}
	g.around = p.readAround(ctx)
	p.rush.baseline.Store(&g.refs)
	return g, nil
}

// restoreBoard reports whether err says that the board cannot be read and the board
// could be restored from the baseline of a session of this rush. So an agent that
// removes the board does not end the work of the others.
func (s *supervisor) restoreBoard(ctx context.Context, err error) bool {
	known := s.rush.baseline.Load()
	if known == nil || !gitstore.IsUnreadable(err) {
		return false
	}
	said, failed := s.clone.Integration.RestoreBaseline(ctx, *known)
	for _, line := range said {
		s.ask("a session went round the rules: %s", line)
	}
	if failed != nil {
		s.sayOnce("%s: the board cannot be read, nor put back: %v; git liza fsck --repair", s.id, failed)
		return false
	}
	return len(said) > 0 || isFatal(err) // another supervisor may have been faster
}

// restoreBaseline puts back what the session changed and says so. If no other session
// ran beside it, the session counts as failed.
func (p *workplace) restoreBaseline(ctx context.Context, a *assignment, g baseline, ending *provider.Ending) {
	alone := p.rush.sessions.Add(-1) == 0 && g.alone
	said, err := p.clone.Integration.RestoreBaseline(ctx, g.refs)
	back, told, named, settingsErr := p.rush.settings.endSession(ctx, p.clone, board.Human(p.rush.committer[0]))
	restored, aside, hooksErr := g.hooks.Restore(ctx, p.clone.Repo)
	if restored {
		said = append(said, "the hooks were out of force, and are in place again")
	}
	if len(aside) > 0 {
		said = append(said, "what stood in their place is "+strings.Join(aside, ", "))
	}
	said = append(said, p.namePlanted(ctx, a)...)
	p.nameChanged(ctx, a, g.around, told)
	if err = errors.Join(err, hooksErr, settingsErr); len(back) > 0 {
		said = append(said, "of git's configuration "+p.rush.mask.String(strings.Join(back, ", "))+" is as it was before; its user changes it while no session runs")
	}
	for _, one := range named {
		p.ask("%s: the setting %s while a session ran, by it or by you, and stays; git liza inbox", p.id, p.rush.mask.String(one))
		_ = p.recordViolated(ctx, a, board.NoSettings, one)
	}
	if a.capacity == board.Does && err == nil {
		err = p.returnWorktree(ctx, a)
	}
	if err != nil {
		p.ask("%s: after the session on %s: %v; git liza doctor", p.id, a.subject(), err)
	}
	if len(said) == 0 {
		return
	}
	who := "the session of " + string(p.id)
	if !alone {
		who = "a session, of " + string(p.id) + " or beside it,"
	}
	what := who + " went round the rules: " + strings.Join(said, "; ")
	p.say("%s", what)
	if alone {
		ending.Outcome, ending.Text = provider.Failed, board.Excerpt(what, 1000)
	}
}

// readAround reads what is the person's around a session: HEAD and refs of the clone, what is in
// its info/, and after a slash the files of its main work tree that no commit has as they are. It
// is nil where refs cannot be read: nobody waits for that. Editors fetch while nobody looks, so
// refs/remotes/ tells nothing, and the next fetch sets it right.
func (p *workplace) readAround(ctx context.Context) map[string]git.ID {
	b, _, err := p.clone.Store.Board(ctx)
	refs, listErr := p.clone.Repo.Refs.List(ctx, "refs/heads", "refs/tags", "refs/notes", "refs/replace", stash, layout.RescueRefs)
	if err != nil || listErr != nil {
		return nil
	}
	delete(refs, b.Settings().Integration.Ref())
	head, _ := p.clone.Repo.Refs.SymbolicRef(ctx, "HEAD")
	id, _ := p.clone.Repo.Refs.Resolve(ctx, "HEAD")
	refs["HEAD"] = cmp.Or(git.ID(head), id)
	folder := filepath.Join(p.clone.Repo.CommonDir(), "info")
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if text, err := git.ReadSmall(filepath.Join(folder, entry.Name())); err == nil && entry.Name() != "refs" { // git writes that when it packs
			refs["info/"+entry.Name()] = git.ID(text)
		}
	}
	changed, _ := p.clone.Checkouts.Trees.Contents.Changed(ctx, p.clone.Repo.MainWorkTree()) // there may be none
	for _, path := range changed {
		refs["/"+path] = "changed"
	}
	return refs
}

// stash is the ref of git's stash.
const stash = "refs/stash"

// nameChanged names files of the main work tree, refs of the clone and settings that changed
// while a session ran, and records them as an anomaly, unless one about the same task waits for
// its person. A person may have done that, so nothing else follows. It also names what is kept of
// the session's work and not pushed.
func (p *workplace) nameChanged(ctx context.Context, a *assignment, before map[string]git.ID, settings []string) {
	now := p.readAround(ctx)
	if before == nil || now == nil {
		before, now = nil, nil
	}
	all, mine := maps.Clone(before), layout.RescueRefs+string(a.taskID())+"/"
	maps.Copy(all, now)
	in := "git -C " + shell.Quote(cmp.Or(p.clone.Repo.MainWorkTree(), p.clone.Repo.CommonDir()))
	var files, refs []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, is, kept := before[name], now[name], strings.HasPrefix(name, mine)
		if was == is || git.IsOwn(name) && !kept || p.tookIn(ctx, name, was, is) {
			continue
		}
		if _, named := p.rush.changed.LoadOrStore(name+" "+string(is), true); named {
			continue
		}
		path, isFile := strings.CutPrefix(name, "/")
		switch {
		case isFile:
			files = append(files, path)
		case kept:
			p.ask("%s: work on %s is kept in this clone alone: %s show --stat %s", p.id, a.subject(), in, name)
		case strings.HasPrefix(name, "info/"):
			settings = append(settings, filepath.Join(p.clone.Repo.CommonDir(), name))
		case was == "":
			refs = append(refs, name)
		case strings.HasPrefix(string(was), "refs/"): // of HEAD
			refs = append(refs, name+" (was "+string(was)+")")
		default:
			refs = append(refs, name+" (was "+was.Short()+")")
		}
	}
	help := "update-ref REF COMMIT"
	if before[stash] != now[stash] {
		help = "stash list"
	}
	var changed []string
	tell := func(what, verb, help string, names []string) {
		if list := p.rush.mask.String(git.VisibleList(names, 5)); list != "" {
			p.say("%s: %s %s while a session ran, by it or by you: %s; %s %s", p.id, what, verb, list, in, help)
			changed = append(changed, what+" "+list)
		}
	}
	tell("files of the main work tree", "were changed", "status", files)
	tell("refs of the clone", "came, moved or went", help, refs)
	tell("settings", "were changed", "config --show-origin --list", settings)
	if len(changed) > 0 && !p.awaitsPerson(ctx, a) {
		_ = p.recordViolated(ctx, a, board.NoChanges, "changed: "+strings.Join(changed, "; "))
	}
}

// tookIn reports whether a branch has only taken in what integration has, as `git liza next` has a
// person do after each merge.
func (p *workplace) tookIn(ctx context.Context, name string, was, is git.ID) bool {
	b, _, err := p.clone.Store.Board(ctx)
	if err != nil || was == "" || is == "" || !strings.HasPrefix(name, "refs/heads/") {
		return false
	}
	onward, _ := p.clone.Repo.IsAncestor(ctx, was, is)
	merged, _ := p.clone.Repo.IsAncestor(ctx, is, b.Settings().Integration.Tip)
	return onward && merged
}

// awaitsPerson reports whether a person has still to dismiss what sessions on the same task
// changed before.
func (p *workplace) awaitsPerson(ctx context.Context, a *assignment) bool {
	b, _, err := p.clone.Store.Board(ctx)
	return err == nil && slices.ContainsFunc(b.IDs(board.Anomalies), func(id string) bool {
		x, is := b.Load(board.Key{Folder: board.Anomalies, ID: id}).(*board.Anomaly)
		return is && x.Task == a.taskID() && x.Dismissed == nil && !x.Archived && x.Details["assumption"] == board.NoChanges
	})
}

// namePlanted says which hooks came or changed, each once, and records them as an anomaly.
func (p *workplace) namePlanted(ctx context.Context, a *assignment) (said []string) {
	if p.rush.Planted == nil {
		return nil
	}
	for _, path := range p.rush.Planted() {
		if _, named := p.rush.planted.LoadOrStore(path, true); named {
			continue
		}
		said = append(said, "the hook "+path+" came or changed: this rush starts no hooks any more; look at it, and begin another one")
		_ = p.recordViolated(ctx, a, board.NoHooks, path+" came or changed")
	}
	return said
}

// recordViolated records that an assumption about sessions does not hold, and what was found.
func (p *workplace) recordViolated(ctx context.Context, a *assignment, assumption, reality string) error {
	return p.recordAnomaly(ctx, a, board.AssumptionViolated, map[string]string{"assumption": assumption, "reality": board.Excerpt(p.rush.mask.String(reality), 1000)})
}

// recordAnomaly records an anomaly about the task of an assignment, or says why it could not.
func (p *workplace) recordAnomaly(ctx context.Context, a *assignment, what board.AnomalyType, details map[string]string) error {
	_, err := p.clone.Make(ctx, board.ActAnomaly, "", &flow.AnomalyMove{Type: what, About: a.taskID(), Details: details})
	if err != nil {
		p.ask("%s: an anomaly %s is not on the board: %v", p.id, what, err)
	}
	return err
}

// returnWorktree checks out the task's branch again in a worktree that the agent left
// on another branch, if nothing gets lost by it.
func (p *workplace) returnWorktree(ctx context.Context, a *assignment) error {
	if worktrees.Missing(a.dir) {
		return nil
	}
	back, err := p.clone.Checkouts.Trees.Contents.Return(ctx, a.dir, a.taskID().Branch())
	if back {
		p.say("%s: the worktree of %s is on %s again", p.id, a.subject(), a.taskID().Branch())
	}
	if _, ok := errors.AsType[*worktrees.Obstacle](err); ok {
		return nil // a worktree that the agent has ruined is made anew
	}
	return err
}
