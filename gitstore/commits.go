package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Commits answers questions of moves about commits, and makes merge commits.
type Commits struct {
	repo    *git.Repo
	history *history
	objects *git.Objects
	merges  map[[3]string]git.Merge
	answer  *answer // to the last question about a move

	// Judge says what is wrong with artifacts, for moves that are new. Without it what
	// touches artifacts is refused.
	Judge ArtifactJudge
}

// Facts answers the question of a move. A missing commit is an answer; errors
// are those of reading the repository.
func (cs *Commits) Facts(ctx context.Context, q flow.Query) (flow.Facts, error) {
	return cs.gatherFacts(ctx, q, cs.Merge)
}

// An answer is the answer of git to a question.
type answer struct {
	question flow.Query
	facts    flow.Facts
}

// factsOnce is [Commits.Facts] with the last answer remembered. A command asks
// whether a move would be refused before it starts long work, and a lost race
// changes no fact about a commit.
func (cs *Commits) factsOnce(ctx context.Context, q flow.Query) (flow.Facts, error) {
	if cs.answer != nil && reflect.DeepEqual(cs.answer.question, q) {
		return cs.answer.facts, nil
	}
	f, err := cs.Facts(ctx, q)
	if err == nil && f.Exists {
		cs.answer = &answer{q, f}
	}
	return f, err
}

// A merger computes merges by some attributes.
type merger func(ctx context.Context, onto, commit git.ID, attributes string) (git.Merge, error)

func (cs *Commits) gatherFacts(ctx context.Context, q flow.Query, merge merger) (flow.Facts, error) {
	var f flow.Facts
	if err := cs.textFacts(ctx, q, &f); err != nil {
		return f, err
	}
	f.Saves = map[git.ID]bool{}
	for _, id := range q.Saves {
		_, ok, err := cs.history.findCommit(id)
		if err != nil {
			return f, err
		}
		f.Saves[id] = ok
	}
	switch {
	case len(q.Lines) > 0:
		return f, cs.lineFacts(ctx, q, &f)
	case q.Merge != "":
		return f, cs.mergeFacts(ctx, q, &f, merge)
	case q.Intended != "" && !slices.Contains(q.Behind, q.Intended):
		return f, cs.earlyFacts(ctx, q, &f)
	case q.Submission != "":
		return f, cs.submissionFacts(ctx, q, &f)
	case q.Descendant != "":
		_, ok, err := cs.history.findCommit(q.Descendant)
		if f.Exists = ok; err != nil || !ok {
			return f, err
		}
		return f, cs.behindFacts(ctx, q.Behind, q.Descendant, &f)
	}
	return f, nil
}

// limitRefusal refuses a commit that is too large to be judged.
func limitRefusal(hint, format string, args ...any) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleLimit, Reason: fmt.Sprintf(format, args...), Hint: hint}
}

// unreadRefusal turns errors about the content of a commit, which git cannot
// read, into refusals. Other errors stay as they are.
func unreadRefusal(err error) error {
	var limit *git.Limit
	var name *git.BadName
	switch {
	case errors.As(err, &limit):
		return &flow.Refusal{Rule: flow.RuleLimit, Reason: limit.Reason, Hint: limit.Hint}
	case errors.As(err, &name):
		return &flow.Refusal{Rule: flow.RulePath, Reason: name.Error(), Hint: "git fsck"}
	}
	return err
}

func (cs *Commits) submissionFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	c, ok, err := cs.history.findCommit(q.Submission)
	if f.Exists = ok; err != nil || !ok {
		return err
	}
	f.Tree = c.Tree
	bases, err := cs.repo.MergeBases(ctx, q.Submission, q.Tip)
	if err != nil {
		return err
	}
	if f.Bases = len(bases); f.Bases > 0 {
		f.Base = bases[0]
	}
	if err := cs.behindFacts(ctx, q.Behind, q.Submission, f); err != nil {
		return err
	}
	if q.Rejected != "" {
		was, _, err := cs.history.findCommit(q.Rejected)
		if f.Was = was.Tree; err != nil {
			return err
		}
	}
	changes, err := cs.repo.Changes(ctx, f.Base, q.Submission)
	if err != nil {
		return unreadRefusal(err)
	}
	for _, c := range changes {
		f.Changes = append(f.Changes, changeOf(c, ""))
	}
	if err := cs.frozenFacts(ctx, q, f); err != nil {
		return err
	}
	if f.Invalid, err = cs.FindInvalid(ctx, q.Valid, q.Submission, changes); err != nil {
		return err
	}
	return cs.broughtFacts(ctx, q, q.Tip, f.Base, changes, f)
}

// earlyFacts lists the work before an intent: what nothing that was there before has, not even
// as another commit, which a rebase leaves.
func (cs *Commits) earlyFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	for _, id := range append(q.Behind, q.Intended) {
		if _, ok, err := cs.history.findCommit(id); err != nil || !ok {
			return err
		}
	}
	news, err := cs.repo.Git(ctx, "rev-list", "--topo-order", "--no-merges", string(q.Intended), "--not", string(q.Behind[0]), string(q.Tip), "--glob="+layout.SavedRefs+"*", "--")
	if err != nil || len(news) == 0 {
		return err
	}
	changed, err := cs.repo.Git(ctx, "rev-list", "--right-only", "--cherry-pick", string(q.Behind[1]+"..."+q.Intended), "--")
	for id := range strings.FieldsSeq(string(news)) {
		if bytes.Contains(changed, []byte(id)) {
			f.Early = append(f.Early, git.ID(id))
		}
	}
	return err
}

func (cs *Commits) behindFacts(ctx context.Context, older []git.ID, newer git.ID, f *flow.Facts) error {
	f.Behind = map[git.ID]bool{}
	for _, id := range older {
		_, ok, err := cs.history.findCommit(id)
		if err != nil {
			return err
		}
		if ok && id != f.Base && id != newer { // both are ancestors
			if ok, err = cs.repo.IsAncestor(ctx, id, newer); err != nil {
				return err
			}
		}
		f.Behind[id] = ok
	}
	return nil
}

func (cs *Commits) mergeFacts(ctx context.Context, q flow.Query, f *flow.Facts, merge merger) error {
	c, ok, err := cs.history.findCommit(q.Merge)
	if f.Exists = ok; err != nil || !ok {
		return err
	}
	f.Tree, f.Parents = c.Tree, c.Parents
	if err := checkCommit(c.Raw, cs.repo.HashLen()); err != nil {
		f.Flaw = &flow.Refusal{Rule: flow.RuleContent, Hint: "git config user.name NAME && git config user.email ADDRESS",
			Reason: fmt.Sprintf("the merge commit %s is not as git writes it: %v", c.ID.Short(), err)}
	}
	for _, id := range []git.ID{q.Onto, q.Submission} {
		if _, ok, err := cs.history.findCommit(id); err != nil || !ok {
			return err
		}
	}
	if f.Crossed, err = cs.Crossed(ctx, q.Onto, q.Submission, q.Base); err != nil {
		return err
	}
	attributes, err := cs.Attributes(ctx, q.Base, q.Submission)
	if err != nil {
		return err
	}
	for _, by := range slices.Compact([]string{attributes, ""}) { // earlier programs heeded none
		if f.Merged == f.Tree {
			break
		}
		merged, err := merge(ctx, q.Onto, q.Submission, by)
		if err != nil {
			return unreadRefusal(err)
		}
		if len(merged.Conflicts) == 0 && (f.Merged == "" || merged.Tree == f.Tree) {
			f.Merged = merged.Tree
		}
	}
	if f.Drift, err = cs.Drift(ctx, q.DriftFrom, q.Onto); err != nil {
		return err
	}
	if len(q.Valid) > 0 {
		changes, err := cs.repo.Changes(ctx, q.Onto, q.Merge)
		if err != nil {
			return unreadRefusal(err)
		}
		if f.Invalid, err = cs.FindInvalid(ctx, q.Valid, q.Merge, changes); err != nil {
			return err
		}
	}
	if _, f.Script, err = cs.objects.Find(c.Tree, flow.IntegrationScript); err != nil || !q.Brought {
		return err
	}
	return cs.broughtFacts(ctx, q, q.Onto, q.Base, nil, f)
}

// keepMerges bounds how many merges a store remembers.
const keepMerges = 64

// Merge is [git.Merger.Merge] by some attributes, remembered: a candidate is computed
// for its gates and again when its move is judged.
func (cs *Commits) Merge(ctx context.Context, onto, commit git.ID, attributes string) (git.Merge, error) {
	key := [3]string{string(onto), string(commit), attributes}
	if m, ok := cs.merges[key]; ok {
		return m, nil
	}
	m, err := cs.repo.Merger.With(attributes).Merge(ctx, onto, commit)
	if err == nil {
		if len(cs.merges) >= keepMerges {
			clear(cs.merges)
		}
		cs.merges[key] = m
	}
	return m, unreadRefusal(err)
}

// Crossed reports whether a merge compares the submission with another commit
// than base, which the review compared it with. This is so if the submission
// has merged what reached integration since. If it reverts a part of that, the
// merge reverts the part too, and no reviewer saw it.
func (cs *Commits) Crossed(ctx context.Context, onto, submission, base git.ID) (bool, error) {
	bases, err := cs.repo.MergeBases(ctx, onto, submission)
	if err != nil || len(bases) == 0 {
		return false, err
	}
	return len(bases) > 1 || bases[0] != base && bases[0] != submission, nil
}

// Drift counts the first-parent commits that integration gained between two
// of its commits.
func (cs *Commits) Drift(ctx context.Context, from, to git.ID) (int, error) {
	if from == "" || from == to {
		return 0, nil
	}
	out, err := cs.repo.Git(ctx, "rev-list", "--count", "--first-parent", string(to), "^"+string(from), "--")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// MergeCommit writes the merge commit of a submission; message is its full
// message. The commit is flushed, but no ref names it yet.
func (cs *Commits) MergeCommit(ctx context.Context, tree, onto, submission git.ID, message string) (git.ID, error) {
	return cs.Commit(ctx, tree, message, onto, submission)
}

// Commit writes a commit of this clone's user with its full message. It is flushed, but
// no ref names it yet.
func (cs *Commits) Commit(ctx context.Context, tree git.ID, message string, parents ...git.ID) (git.ID, error) {
	name, email, err := cs.repo.Config.Identity(ctx)
	if err != nil {
		return "", err
	}
	who, err := identLine(name, email, cs.history.Now())
	if err != nil {
		return "", err
	}
	raw := "tree " + string(tree)
	for _, parent := range parents {
		raw += "\nparent " + string(parent)
	}
	raw += "\nauthor " + who + "\ncommitter " + who + "\n\n" + strings.TrimRight(message, "\n") + "\n"
	id, err := cs.objects.WriteCommit([]byte(raw))
	if err != nil {
		return "", err
	}
	return id, cs.objects.Flush()
}

// Revert takes what lies between two commits back out of a third, as git revert does:
// it merges the trees of onto and before, with that of commit as their base. It needs
// no checkout. A conflict is no error.
func (cs *Commits) Revert(ctx context.Context, onto, commit, before git.ID) (git.Merge, error) {
	// Only git 2.40 takes a base beside the commits: the three become a history.
	var made [3]git.ID
	for i, id := range []git.ID{commit, onto, before} {
		c, err := cs.objects.Commit(id)
		if err != nil {
			return git.Merge{}, err
		}
		var parents []git.ID
		if i > 0 {
			parents = made[:1]
		}
		if made[i], err = cs.Commit(ctx, c.Tree, "A side of a revert", parents...); err != nil {
			return git.Merge{}, err
		}
	}
	return cs.Merge(ctx, made[1], made[2], "") // a union would leave what is taken back
}

// HasFile reports whether a commit's tree holds a file at path.
func (cs *Commits) HasFile(commit git.ID, path string) (bool, error) {
	c, err := cs.objects.Commit(commit)
	if err != nil {
		return false, err
	}
	_, ok, err := cs.objects.Find(c.Tree, path)
	return ok, err
}
