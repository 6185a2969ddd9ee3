package hooks

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks/stubs"
)

// Limit is how long a server judges one push; what is not judged by then is
// refused.
const Limit = time.Minute

// ReadUpdates reads what git tells a hook: a line OLD NEW REF for each ref.
func ReadUpdates(in io.Reader) ([]Update, error) {
	var list []Update
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), " ", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("git told the hook %q", lines.Text())
		}
		list = append(list, Update{Name: f[2], Old: object(f[0]), New: object(f[1])})
	}
	return list, lines.Err()
}

// object reads an id where zeros stand for none.
func object(text string) git.ID {
	if strings.Trim(text, "0") == "" {
		return ""
	}
	return git.ID(text)
}

// PublishOption is the push option by which an admin says that the moves were
// made elsewhere: git push -o liza-publish.
const PublishOption = "liza-publish"

// ReadPush adds to updates what a server knows about a push: its settings, and of
// the hook's environment, which getenv reads, only who pushes and the options.
func ReadPush(ctx context.Context, r *git.Repo, updates []Update, now time.Time, getenv func(string) string) (Push, error) {
	p := Push{Updates: updates, Server: true, Now: now}
	settings := make(map[string]string)
	for _, key := range []string{"userEnv", "requireSignedMoves", "admin", "adminKey"} {
		value, err := r.Config(ctx, "liza.server."+key)
		if err != nil {
			return p, err
		}
		settings[key] = value
	}
	p.Admin, p.AdminKey = settings["admin"], settings["adminKey"]
	if name := settings["userEnv"]; name != "" {
		p.User, p.UserKnown = getenv(name), true
	}
	switch value := strings.ToLower(settings["requireSignedMoves"]); value {
	case "", "false", "no", "off", "0":
	case "true", "yes", "on", "1":
		p.Signed = true
	default:
		return p, fmt.Errorf("git config liza.server.requireSignedMoves is %q, neither true nor false", value)
	}
	count, _ := strconv.Atoi(getenv("GIT_PUSH_OPTION_COUNT"))
	for i := range min(count, 100) {
		p.Publish = p.Publish || getenv("GIT_PUSH_OPTION_"+strconv.Itoa(i)) == PublishOption
	}
	return p, nil
}

// defaultMemory is what a judgement and each git process of it may take where
// liza.server.memory says nothing.
const defaultMemory = 2 << 30

// Memory is how many bytes a judgement and each git process of it may take:
// `git config liza.server.memory`, 2 GiB by default.
func Memory(ctx context.Context, r *git.Repo) (uint64, error) {
	text, err := r.Config(ctx, "liza.server.memory")
	if err != nil || text == "" {
		return defaultMemory, err
	}
	digits := strings.TrimRight(strings.ToLower(text), "kmg")
	shift := map[string]int{"": 0, "k": 10, "m": 20, "g": 30}
	by, known := shift[strings.ToLower(text[len(digits):])]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || !known || n == 0 {
		return 0, fmt.Errorf("git config liza.server.memory is %q; it is a number of bytes such as 512m or 2g", text)
	}
	return n << by, nil
}

// JudgePush judges a push that a server got, once no lock is in its way, and notes
// what its receive-pack may leave behind, and whether its refs may need to be
// brought to what the board says once it has landed: [Settle].
func JudgePush(ctx context.Context, s *gitstore.Store, p Push) error {
	refs := make([]git.RefUpdate, len(p.Updates))
	for i, u := range p.Updates {
		refs[i] = git.RefUpdate{Name: u.Name, Old: u.Old, New: u.New}
	}
	if err := s.Repo.Journal.AwaitLocks(ctx, refs); err != nil {
		return Unjudged(ctx, err)
	}
	entry, err := s.Repo.Journal.RecordPush(ctx, refs)
	if err != nil {
		return Unjudged(ctx, err)
	}
	j := newJudge(s, p)
	if err := j.decide(ctx); err != nil {
		entry.Forget()
		return err
	}
	err = entry.Judged(j.tip)
	if err == nil && (len(j.passed) > 0 || j.created && j.after != nil) {
		err = noteDue(s, j.tip)
	}
	if err != nil {
		entry.Forget()
		return Unjudged(ctx, err)
	}
	return nil
}

// noteDue tells post-receive that there may be something for it to do once the
// state commit tip has landed.
func noteDue(s *gitstore.Store, tip git.ID) error {
	path := filepath.Join(s.Repo.CommonDir(), stubs.Due)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(tip), 0o666)
}

// Settle brings a server's refs to what the board says after a push: a push
// may bring a merge without its branch, or git may have ended between two
// refs. It tells the hooks which branch the board guards.
func Settle(ctx context.Context, s *gitstore.Store) error {
	if err := s.Settler.Settle(ctx); err != nil {
		return err
	}
	b, tip, err := s.Board(ctx)
	if errors.Is(err, gitstore.ErrNoBoard) {
		return nil
	}
	if err == nil {
		err = stubs.SetIntegration(ctx, s.Repo, b.Settings().Integration.Name)
	}
	if err != nil {
		return err
	}
	path := filepath.Join(s.Repo.CommonDir(), stubs.Due)
	if landed, err := os.ReadFile(path); err != nil || git.ID(landed) != tip {
		return nil // of another push, which may yet land
	}
	return os.Remove(path)
}

// Unjudged is the rejection of a push that could not even be read.
func Unjudged(ctx context.Context, err error) *Rejection {
	return &Rejection{[]Refused{{"push", undecided(ctx, err)}}}
}

// Transaction judges a ref transaction that git has prepared. On a clone that
// is a person's or a program's own, on the board and the integration branch
// alone; on a server one that pre-receive has judged, see [Backstop]. git
// gives no old value where the caller gave none, and hands out what it packs as
// moves, and the removal of loose refs that are packed as deletions. An old value
// that it gives it may have read before somebody else moved the ref. permit, on
// a clone, is that of the Push.
func Transaction(ctx context.Context, s *gitstore.Store, updates []Update, server bool, permit func(flow.Move) *flow.Refusal) error {
	var list []Update
	for _, u := range updates {
		if !strings.HasPrefix(u.Name, "refs/") || u.New == "" && s.Repo.Pruning(ctx, u.Name, u.Old) || u.Old == "" && s.Repo.Packing(u.Name, u.New) {
			continue
		}
		now, err := s.Repo.Resolve(ctx, u.Name)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return Unjudged(ctx, err)
		}
		if u.Old != "" && u.Old != now {
			return &Rejection{[]Refused{{u.Name, moved(u, now)}}}
		}
		u.Old = now
		list = append(list, u)
	}
	if server {
		return Backstop(ctx, s, list)
	}
	return Judge(ctx, s, Push{Updates: list, Permit: permit})
}

// Committed makes durable that refs of a server have moved: git syncs what is in
// them, but answers a push before their names need be on the disk.
func Committed(ctx context.Context, s *gitstore.Store, updates []Update) error {
	names := make([]string, 0, len(updates))
	for _, u := range updates {
		names = append(names, u.Name)
	}
	return s.Repo.Flusher.SyncMoved(ctx, names)
}

// Backstop judges one transaction of a push on a server after pre-receive has
// judged the whole: where a push is not atomic, each ref is a transaction of
// its own, and some may fail. So what follows from moves goes with the state
// that holds them or after it. refs carry their true old values.
func Backstop(ctx context.Context, s *gitstore.Store, refs []Update) error {
	j := newJudge(s, Push{Updates: refs})
	if err := j.backstop(ctx); err != nil {
		return Unjudged(ctx, err)
	}
	if len(j.refused) > 0 {
		return &Rejection{j.refused}
	}
	return nil
}

func (j *judge) backstop(ctx context.Context) error {
	tip, err := j.store.Repo.Resolve(ctx, git.StateRef)
	if err != nil {
		return err
	}
	if u, ok := j.update(git.StateRef); ok {
		if refused := j.grows(ctx, u); refused != nil {
			j.refuse(u.Name, refused)
			return nil
		}
		tip = u.New
	}
	if tip == "" {
		return nil
	}
	if j.after, err = j.store.BoardAt(tip); err != nil {
		return err
	}
	relied, err := j.relied(tip)
	if err != nil {
		return err
	}
	for _, u := range j.push.Updates {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch j.kind(u.Name) {
		case integration:
			j.integrate(ctx, u)
		case keptRef:
			j.recorded(ctx, u, tip)
		case taskBranch:
			j.settled(u, relied)
		}
	}
	if relied != nil && relied.Err() != nil {
		return relied.Err()
	}
	return j.after.Err()
}

// relied is the board by which pre-receive judged the branches of tasks that
// move: of several refs that are not atomic, the state may have lost against
// another push. Where nothing tells, as for what a command on the server moves,
// it is the one that is there; nil is none.
func (j *judge) relied(tip git.ID) (*flow.Board, error) {
	if !slices.ContainsFunc(j.push.Updates, func(u Update) bool { return j.kind(u.Name) == taskBranch }) {
		return j.after, nil
	}
	state, known, err := j.store.Repo.Journal.JudgedBy()
	if err != nil || !known || state == tip {
		return j.after, err
	}
	if state == "" {
		return nil, nil
	}
	return j.store.BoardAt(state)
}

// settled refuses a task's branch that another push has overtaken: the task has
// another holder by now than on the board by which pre-receive judged who may move
// the branch, or none, or it is over.
func (j *judge) settled(u Update, relied *flow.Board) {
	id := flow.TaskID(strings.TrimPrefix(u.Name, tasks))
	t := j.after.Task(id)
	switch {
	case t != nil && t.Claim != nil:
		if !sameHolder(relied, t) {
			j.refuse(u.Name, refusal(RuleBranch, "git liza show "+string(id),
				"another push was first: %s is held by %s (%s) by now, who alone moves its branch", id, t.Claim.By, holder(t)))
		}
	case u.New == "" && (t == nil || t.Status.Final() || t.Attempt == nil):
	case u.New != "" && t != nil && t.Submission != nil && !t.Status.Final() && u.New == t.Submission.Commit:
	default:
		j.refuse(u.Name, refusal(RuleBranch, "git push --atomic REMOTE refs/liza/state "+strings.TrimPrefix(u.Name, branches),
			"nobody holds the task of %s by now: its branch stands at the commit that was submitted, or is gone", u.Name))
	}
}

// sameHolder tells whether a task was held on a board by whom it is held now.
func sameHolder(b *flow.Board, now *flow.Task) bool {
	if b == nil {
		return false
	}
	was := b.Task(now.ID)
	return was != nil && was.Claim != nil && was.Claim.By == now.Claim.By && was.Claim.Principal == now.Claim.Principal
}

// grows refuses what throws history away.
func (j *judge) grows(ctx context.Context, u Update) *flow.Refusal {
	if u.New == "" {
		return refusal(RuleHistory, "git liza hooks uninstall", "the board's history is never deleted")
	}
	if u.Old == "" {
		return nil
	}
	if contains, err := j.store.Repo.IsAncestor(ctx, u.Old, u.New); err != nil || !contains {
		return rewound(u)
	}
	return nil
}

// recorded refuses a save or a mark that the state does not hold yet.
func (j *judge) recorded(ctx context.Context, u Update, tip git.ID) {
	if u.New == "" || u.Old != "" && u.Old != u.New {
		j.keep(u)
		return
	}
	// Of two pushes that name the same ref in two moves one has lost: what the
	// board says counts, not that there is a move that could have named it.
	named, err := j.store.LastNaming(ctx, tip, u.Name, MaxMoves)
	known := err == nil && named != "" && named == u.New
	if !known {
		j.refuse(u.Name, refusal(RuleRef, "git push --atomic REMOTE refs/liza/state "+u.Name, "the state that is here names no %s: the push was not atomic", u.Name))
	}
}
