package work

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/markdown"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/flow/spelling"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// Specs finds the files that goals and tasks name as specs, and says how a
// missing one reaches integration.
type Specs struct {
	Dir   string // the folder in which the user types a hint
	repo  *git.Repo
	store *gitstore.Store
	trees *worktrees.Trees // nil where there are none
}

// parseCommit is [ParseCommit].
func (s *Specs) parseCommit(ctx context.Context, name string) (git.ID, error) {
	if here := worktrees.NameOf(s.repo); here != "" && s.trees != nil {
		_ = s.trees.Take(ctx, here) // what cannot be taken over is said by those who need it
	}
	return s.repo.ParseCommit(ctx, name)
}

// explain adds to the refusal of a spec that is not on integration where the
// file is, and the commands that bring it to integration.
func (s *Specs) explain(ctx context.Context, q flow.Query, err error) error {
	var refusal *flow.Refusal
	if !errors.As(err, &refusal) || refusal.Rule != flow.RuleSpec {
		return err
	}
	for _, asked := range q.Texts {
		name := asked.Path
		id, failed := s.repo.BlobAt(ctx, q.Tip, name)
		if failed == nil && id == "" && filepath.IsLocal(name) {
			return s.explainAbsent(ctx, refusal, name, q.Tip)
		}
		if like := s.likeliestAnchor(ctx, id, asked.Anchors, refusal.Reason); like != "" {
			found := *refusal
			found.Reason += "; did you mean '#" + like + "'?"
			return &found
		}
	}
	return err
}

// likeliestAnchor returns the anchor of the heading of a text that is most like the one
// that a refusal misses, "" if there is none.
func (s *Specs) likeliestAnchor(ctx context.Context, blob board.ObjectID, anchors []string, reason string) string {
	if blob == "" {
		return ""
	}
	o := s.repo.Objects(ctx)
	for _, anchor := range anchors {
		if !strings.Contains(reason, "has no heading '#"+anchor+"'") {
			continue
		}
		kind, data, err := o.Read(blob)
		if err != nil || kind != "blob" {
			return ""
		}
		return spelling.Nearest(anchor, markdown.Anchors(string(data)))
	}
	return ""
}

// explainAbsent returns the refusal with the commands that bring a file to
// integration, or with the path that was probably meant.
func (s *Specs) explainAbsent(ctx context.Context, refusal *flow.Refusal, name string, tip board.ObjectID) error {
	b, _, err := s.store.Board(ctx)
	if err != nil {
		return err
	}
	found := *refusal
	branch := git.ShortBranch(ctx, s.repo, b.Settings().Integration.Name)
	place := s.findFile(ctx, name)
	if place.nowhere() {
		found.Hint = "git ls-tree -r --name-only " + shell.Quote(branch)
		if like := s.likeliestFile(ctx, name, tip); like != "" {
			found.Reason += "; did you mean " + shell.Quote(like) + "?"
		}
		return &found
	}
	adopt := "git liza adopt HEAD --reason 'the spec'"
	if ahead, err := s.repo.IsAncestor(ctx, tip, place.head); err != nil || !ahead {
		adopt = "git merge " + shell.Quote(branch) + " && " + adopt
	}
	if unreviewed, err := s.store.Settler.Unreviewed(ctx, b, tip, place.head); err != nil || unreviewed {
		adopt = "git liza status" // an agent's file reaches integration by a review
	}
	if found.Hint = adopt; !place.committed {
		found.Hint = place.commit("Spec") + " && " + adopt
	}
	return &found
}

// Rooted returns a spec's path from the root of the repository. As with git's
// REVISION:PATH, one that begins with ./ or ../ is from the current folder.
func (s *Specs) Rooted(spec string) string {
	file, anchor, anchored := strings.Cut(spec, "#")
	if !strings.HasPrefix(file, "./") && !strings.HasPrefix(file, "../") {
		return spec
	}
	dir, err := filepath.EvalSymlinks(s.Dir) // as git prints the work tree
	if err != nil {
		return spec
	}
	rel, err := filepath.Rel(s.repo.WorkTree(), filepath.Join(dir, file))
	if err != nil || !filepath.IsLocal(rel) {
		return spec
	}
	if anchored {
		anchor = "#" + anchor
	}
	return filepath.ToSlash(rel) + anchor
}

// A place says where a file is that integration lacks.
type place struct {
	head      board.ObjectID // "" where there is no commit
	committed bool           // HEAD has it
	file      string         // its path in the work tree, quoted for a shell in the current folder; "" if it is not there
}

func (p place) nowhere() bool { return !p.committed && p.file == "" }

// commit returns the command that commits only this file.
func (p place) commit(subject string) string {
	return fmt.Sprintf("git add %[1]s && git commit -m '%[2]s' -- %[1]s", p.file, subject)
}

// findFile looks for a file in HEAD and in the work tree.
func (s *Specs) findFile(ctx context.Context, name string) place {
	var p place
	p.head, _ = s.parseCommit(ctx, "HEAD")
	if p.head != "" {
		id, err := s.repo.BlobAt(ctx, p.head, name)
		p.committed = err == nil && id != ""
	}
	if s.repo.WorkTree() == "" {
		return p
	}
	info, err := os.Stat(filepath.Join(s.repo.WorkTree(), filepath.FromSlash(name)))
	if err == nil && info.Mode().IsRegular() {
		p.file = s.fromHere(name)
	}
	return p
}

// fromHere returns a path of the repository relative to the current folder,
// quoted for a shell.
func (s *Specs) fromHere(name string) string {
	dir, err := filepath.EvalSymlinks(s.Dir) // as git prints the work tree
	if err != nil {
		return shell.Quote(name)
	}
	rel, err := filepath.Rel(dir, filepath.Join(s.repo.WorkTree(), filepath.FromSlash(name)))
	if err != nil {
		return shell.Quote(name)
	}
	return shell.Quote(rel)
}

// mostFiles bounds the files that are searched for a path like a mistyped
// one.
const mostFiles = 20_000

// likeliestFile returns the file at a commit whose path is most like a missing
// one, "" if there is none: the same name in another folder, or a path that
// differs in at most two letters.
func (s *Specs) likeliestFile(ctx context.Context, name string, commit board.ObjectID) string {
	out, err := s.repo.Git(ctx, "ls-tree", "-r", "-z", "--name-only", string(commit))
	if err != nil {
		return ""
	}
	best, least := "", 3
	for n, file := range strings.Split(string(out), "\x00") {
		if n == mostFiles {
			break
		}
		far := spelling.Distance(name, file, least)
		if path.Base(file) == path.Base(name) {
			far = min(far, 2)
		}
		if far < least {
			best, least = file, far
		}
	}
	return best
}

// explainUnready returns a refusal whose hint brings the spec of a first goal to the
// branch of a new board. No command in the hint overwrites a file.
func (s *Specs) explainUnready(ctx context.Context, p Plan, tip board.ObjectID, created bool) *flow.Refusal {
	if !filepath.IsLocal(p.Spec) || p.Spec == "." || strings.EqualFold(strings.Split(filepath.ToSlash(p.Spec), "/")[0], ".git") {
		return &flow.Refusal{Rule: flow.RuleSpec, Hint: "git liza init --spec specs/vision.md",
			Reason: fmt.Sprintf("%q is not the path of a file in the repository", board.Excerpt(p.Spec, 80))}
	}
	refusal := &flow.Refusal{Rule: flow.RuleSpec, Reason: fmt.Sprintf("there is no %s at %s", p.Spec, tip.Short())}
	at := s.findFile(ctx, p.Spec)
	switch {
	case at.committed && !created:
		refusal.Reason = fmt.Sprintf("the branch %s, at %s, has no %s, which HEAD has", p.Branch, tip.Short(), p.Spec)
		refusal.Hint = fetchTo(p.Branch)
		if !s.isBehind(ctx, tip, at.head) {
			refusal.Hint = checkedOut(p.Branch, "git merge "+string(at.head))
		}
		return refusal
	case at.file != "":
		refusal.Reason += ", and the file is not committed"
		refusal.Hint = at.commit("Vision")
	case p.Goal != "" && !created && s.repo.WorkTree() != "" && isFileName(p.Spec):
		refusal.Hint = p.again(p.Spec)
	case s.repo.WorkTree() == "":
		refusal.Hint = "git clone " + shell.Quote(s.repo.CommonDir()) + " NAME && cd NAME"
		return refusal
	default:
		if p.Goal == "" {
			refusal.Reason += "; git liza init 'GOAL' writes one"
		}
		file := s.fromHere(p.Spec)
		refusal.Hint = fmt.Sprintf("git liza artifact template vision > %[1]s && git add %[1]s && git commit -m 'Vision' -- %[1]s", file)
		if dir := path.Dir(p.Spec); dir != "." {
			refusal.Hint = "mkdir -p " + s.fromHere(dir) + " && " + refusal.Hint
		}
		if like := s.likeliestFile(ctx, p.Spec, tip); like != "" {
			refusal.Reason += "; did you mean --spec " + shell.Quote(like) + "?"
		}
	}
	switch out, _ := s.repo.Git(ctx, "symbolic-ref", "--quiet", "HEAD"); {
	case created || strings.TrimSpace(string(out)) == "refs/heads/"+p.Branch:
	case refusal.Hint != p.again(p.Spec) && s.isBehind(ctx, tip, at.head):
		refusal.Hint += " && " + fetchTo(p.Branch) // the file stays in the checkout
	default:
		refusal.Hint = checkedOut(p.Branch, refusal.Hint)
	}
	return refusal
}

// isBehind reports whether a branch at a commit can be brought forward to head.
func (s *Specs) isBehind(ctx context.Context, at, head board.ObjectID) bool {
	behind, err := s.repo.IsAncestor(ctx, at, head)
	return err == nil && behind
}

// fetchTo is the command that brings a branch forward to what is checked out.
func fetchTo(branch string) string { return "git fetch . HEAD:" + shell.Quote(branch) }

// checkedOut is a command on another branch, after which the one before is checked out again.
func checkedOut(branch, command string) string {
	return "git checkout " + shell.Quote(branch) + " && " + command + " && git checkout -"
}

// heading returns the first heading of a Markdown file at a commit, or its
// path if it has none. found is false if there is no such file.
func (s *Specs) heading(ctx context.Context, commit board.ObjectID, name string) (title string, found bool, err error) {
	id, err := s.repo.BlobAt(ctx, commit, name)
	if err != nil || id == "" {
		return "", false, err
	}
	o := s.repo.Objects(ctx)
	kind, data, err := o.Read(id)
	if err != nil || kind != "blob" {
		return "", false, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			if title := board.Clean(strings.TrimLeft(rest, "#")); title != "" && len(title) < 200 {
				return title, true, nil
			}
		}
	}
	return name, true, nil
}
