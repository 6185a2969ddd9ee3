package hooks

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

const (
	ann      = board.Actor("human:ann")
	coder    = board.Actor("coder-1")
	reviewer = board.Actor("code-reviewer-1")
	half     = board.Duration(30 * time.Minute)
)

// A serverFixture is a clone with a board and a server that sees the clone's objects,
// as a hook sees those of a push, but holds refs of its own.
type serverFixture struct {
	t      testing.TB
	clone  string
	server string
	now    time.Time
	store  *gitstore.Store // of the clone
	judge  *gitstore.Store // of the server
	as     string          // principal of the clone's moves
	push   Push            // what else the server knows

	environ []string // of git in the clone, beside the usual
}

// newServerFixture makes a board that the server does not have yet.
func newServerFixture(t testing.TB, format string) *serverFixture {
	t.Helper()
	y := fixtureAt(t, t.TempDir())
	y.make(format)
	return y
}

func fixtureAt(t testing.TB, root string) *serverFixture {
	return &serverFixture{t: t, clone: filepath.Join(root, "clone"), server: filepath.Join(root, "server"),
		now: time.Date(2026, 1, 17, 14, 6, 0, 0, time.UTC)}
}

func (y *serverFixture) make(format string) {
	y.t.Helper()
	gittest.Git(y.t, ".", "init", "-q", "-b", "main", "--object-format="+format, y.clone)
	gittest.Write(y.t, y.clone, "README", "hello\n")
	gittest.Git(y.t, y.clone, "add", ".")
	gittest.Git(y.t, y.clone, "commit", "-q", "-m", "first")
	gittest.Git(y.t, ".", "init", "-q", "--bare", "--object-format="+format, y.server)
	gittest.Write(y.t, y.server, "objects/info/alternates", filepath.Join(y.clone, ".git", "objects")+"\n")
	gittest.Git(y.t, y.server, "update-ref", "refs/heads/main", gittest.Git(y.t, y.clone, "rev-parse", "main"))
	y.store, y.judge = y.open(y.clone), y.open(y.server)
}

var plains gittest.Template

// plain is a fixture whose server has the board already; there are no principals.
func plain(t testing.TB) *serverFixture {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, plains.Copy(root, func(root string) error {
		y := fixtureAt(t, root)
		y.make("sha1")
		y.init()
		y.land(y.all()...)
		return nil
	}))
	y := fixtureAt(t, root)
	y.store, y.judge = y.open(y.clone), y.open(y.server)
	return y
}

func (y *serverFixture) init() gitstore.Result {
	y.t.Helper()
	return y.do(flow.Move{Act: board.ActInit, By: ann, Detail: &flow.InitMove{Board: "00112233445566aa", Format: board.NewestFormat,
		Goal: "goal-1", Title: "Ship it", Spec: "README", Integration: board.Branch{Name: "integration", Tip: y.at("refs/heads/main")},
		Created: true, Config: board.DefaultConfig()}})
}

func (y *serverFixture) open(dir string) *gitstore.Store {
	y.t.Helper()
	repo, err := git.Open(context.Background(), dir)
	require.NoError(y.t, err)
	y.t.Cleanup(func() { repo.Close() })
	return gitstore.OpenStore(context.Background(), repo, func() time.Time { return y.now })
}

// do makes a move on the clone.
func (y *serverFixture) do(m flow.Move) gitstore.Result {
	y.t.Helper()
	if m.Principal == "" {
		m.Principal = y.as
	}
	r, err := y.store.Do(context.Background(), func(*board.Board, time.Time) (flow.Move, []git.RefUpdate, error) { return m, nil, nil })
	require.NoError(y.t, err)
	return r
}

func (y *serverFixture) board() *board.Board {
	y.t.Helper()
	b, _, err := y.store.Board(context.Background())
	require.NoError(y.t, err)
	return b
}

func (y *serverFixture) add(ids ...board.TaskID) {
	y.t.Helper()
	var list []board.TaskInput
	for _, id := range ids {
		list = append(list, board.TaskInput{ID: id, Title: "Title of " + string(id), DoneWhen: "it works", Spec: "README", Scope: "small", Kind: board.Docs})
	}
	y.do(flow.Move{Act: board.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: list}})
}

func (y *serverFixture) claim(id board.TaskID) {
	y.t.Helper()
	y.do(flow.Move{Act: board.ActClaim, Task: id, By: coder, Detail: &flow.ClaimMove{Lease: half}})
	gittest.Git(y.t, y.clone, "update-ref", "refs/heads/"+id.Branch(), string(y.board().Task(id).Attempt.Start))
}

// work commits a file on a task's branch, without a checkout.
func (y *serverFixture) work(id board.TaskID, name, content string) git.ID {
	y.t.Helper()
	commit := y.commit("refs/heads/"+id.Branch(), name, content)
	gittest.Git(y.t, y.clone, "update-ref", "refs/heads/"+id.Branch(), string(commit))
	return commit
}

// commit makes a commit with one more file on top of a ref.
func (y *serverFixture) commit(on, name, content string) git.ID {
	y.t.Helper()
	blob := y.hash("blob", content)
	tree := strings.TrimSpace(gittest.Git(y.t, y.clone, "ls-tree", on)) + "\n100644 blob " + string(blob) + "\t" + name + "\n"
	return y.commitTree(y.feed(tree, "mktree"), "work", git.ID(gittest.Git(y.t, y.clone, "rev-parse", on)))
}

func (y *serverFixture) commitTree(tree, message string, parents ...git.ID) git.ID {
	y.t.Helper()
	args := []string{"commit-tree", tree, "-m", message}
	for _, p := range parents {
		args = append(args, "-p", string(p))
	}
	return git.ID(gittest.Git(y.t, y.clone, args...))
}

func (y *serverFixture) submit(id board.TaskID) {
	y.t.Helper()
	y.do(flow.Move{Act: board.ActIntent, Task: id, By: coder, Detail: &flow.IntentMove{Intent: board.Intent{Summary: "do", Validation: "look", Tip: y.board().Task(id).Attempt.Start}}})
	commit := y.at("refs/heads/" + id.Branch())
	facts, err := y.store.Commits.Facts(context.Background(), flow.Query{Submission: commit, Tip: y.board().Settings().Integration.Tip})
	require.NoError(y.t, err)
	d := &flow.SubmitMove{Commit: commit, Tree: facts.Tree, Base: facts.Base, Save: y.board().Task(id).Saves + 1}
	for _, c := range facts.Changes {
		d.Paths = append(d.Paths, c.Path)
	}
	y.do(flow.Move{Act: board.ActSubmit, Task: id, By: coder, Detail: d})
}

func (y *serverFixture) approve(id board.TaskID) {
	y.t.Helper()
	y.do(flow.Move{Act: board.ActReview, Task: id, By: reviewer, Detail: &flow.ReviewMove{Lease: half}})
	y.do(flow.Move{Act: board.ActApprove, Task: id, By: reviewer, Detail: &flow.ApproveMove{Commit: y.board().Task(id).Submission.Commit}})
}

// merge merges an approved task as the rules want it.
func (y *serverFixture) merge(id board.TaskID) {
	y.t.Helper()
	y.do(flow.Move{Act: board.ActMerge, Task: id, By: ann, Detail: y.merging(id)})
	gittest.Git(y.t, y.clone, "update-ref", "-d", "refs/heads/"+id.Branch())
}

func (y *serverFixture) merging(id board.TaskID) *flow.MergeMove {
	y.t.Helper()
	onto, commit := y.board().Settings().Integration.Tip, y.board().Task(id).Submission.Commit
	m, err := y.store.Commits.Merge(context.Background(), onto, commit, "")
	require.NoError(y.t, err)
	merged, err := y.store.Commits.MergeCommit(context.Background(), m.Tree, onto, commit, "Merge "+string(id))
	require.NoError(y.t, err)
	drift, err := y.store.Commits.Drift(context.Background(), y.board().Task(id).Attempt.Base, onto)
	require.NoError(y.t, err)
	return &flow.MergeMove{Commit: merged, Submission: commit, Onto: onto, Tree: m.Tree, Drift: drift, Git: "2.39.5"}
}

// at is where a ref of the clone is.
func (y *serverFixture) at(name string) git.ID {
	y.t.Helper()
	return resolved(y.t, y.store, name)
}

// there is where a ref of the server is.
func (y *serverFixture) there(name string) git.ID {
	y.t.Helper()
	return resolved(y.t, y.judge, name)
}

func resolved(t testing.TB, s *gitstore.Store, name string) git.ID {
	t.Helper()
	id, err := s.Repo.Refs.Resolve(context.Background(), name)
	require.NoError(t, err)
	return id
}

// moves are updates of the server's refs to where the clone has them.
func (y *serverFixture) moves(names ...string) []Update {
	y.t.Helper()
	var list []Update
	for _, name := range names {
		list = append(list, Update{name, y.there(name), y.at(name)})
	}
	return list
}

// to is an update of one of the server's refs.
func (y *serverFixture) to(name string, id git.ID) Update {
	y.t.Helper()
	return Update{name, y.there(name), id}
}

// all are the updates that bring the server what the clone has.
func (y *serverFixture) all() []Update {
	y.t.Helper()
	names := map[string]bool{}
	for _, s := range []*gitstore.Store{y.store, y.judge} {
		for _, prefix := range []string{"refs/liza", "refs/heads"} {
			refs, err := s.Repo.Refs.List(context.Background(), prefix)
			require.NoError(y.t, err)
			for name := range refs {
				names[name] = true
			}
		}
	}
	var list []Update
	for name := range names {
		if u := (Update{name, y.there(name), y.at(name)}); u.Old != u.New {
			list = append(list, u)
		}
	}
	return list
}

// judged is what the server says to a push.
func (y *serverFixture) judged(updates ...Update) []Refused {
	y.t.Helper()
	p := y.push
	p.Updates, p.Server, p.Now = updates, true, y.now
	err := judgeUpdates(context.Background(), y.judge, p)
	if err == nil {
		return nil
	}
	var rejection *Rejection
	require.ErrorAs(y.t, err, &rejection)
	require.NotEmpty(y.t, rejection.Refused)
	for line := range strings.SplitSeq(err.Error(), "\n") {
		require.Regexp(y.t, `^liza-refused: \S+ [a-z_]+: .+; type: .+$`, line)
	}
	return rejection.Refused
}

// accepts holds that a push is fine, and leaves the server as it is.
func (y *serverFixture) accepts(updates ...Update) {
	y.t.Helper()
	if refused := y.judged(updates...); refused != nil {
		y.t.Fatal((&Rejection{refused}).Error())
	}
}

// land pushes.
func (y *serverFixture) land(updates ...Update) {
	y.t.Helper()
	y.accepts(updates...)
	for _, u := range updates {
		if u.New == "" {
			gittest.Git(y.t, y.server, "update-ref", "-d", u.Name)
			continue
		}
		gittest.Git(y.t, y.server, "update-ref", u.Name, string(u.New))
	}
}

// refuses holds that a push is refused, for a commit or ref, by a rule, and
// that its reason says so.
func (y *serverFixture) refuses(what string, rule flow.Rule, reason string, updates ...Update) {
	y.t.Helper()
	refused := y.judged(updates...)
	require.NotNil(y.t, refused, "the push was accepted")
	for _, r := range refused {
		if r.What == what && r.Rule == rule {
			require.Contains(y.t, r.Reason, reason)
			require.NotEmpty(y.t, r.Hint)
			return
		}
	}
	y.t.Fatalf("%s is not refused by %s, but:\n%v", what, rule, &Rejection{refused})
}

// forge writes a commit of the clone's with an edit, and all that follows it
// is gone.
func (y *serverFixture) forge(commit git.ID, edits ...string) git.ID {
	y.t.Helper()
	raw := gittest.Git(y.t, y.clone, "cat-file", "commit", string(commit)) + "\n"
	forged := strings.NewReplacer(edits...).Replace(raw)
	require.NotEqual(y.t, raw, forged, "nothing was forged")
	return y.hash("commit", forged)
}

// treeWith is the tree of a commit with another content of one file.
func (y *serverFixture) treeWith(commit, file, content string) string {
	y.t.Helper()
	index := "GIT_INDEX_FILE=" + filepath.Join(y.t.TempDir(), "index")
	y.environ = append(y.environ, index)
	defer func() { y.environ = y.environ[:len(y.environ)-1] }()
	y.feed("", "read-tree", commit)
	y.feed("", "update-index", "--add", "--cacheinfo", "100644,"+string(y.hash("blob", content))+","+file)
	return y.feed("", "write-tree")
}

// field is how documents have an id: in quotes where it could be a number, as
// one that begins with 0b.
func field(key string, id git.ID) string {
	text, err := document.Encode(&struct {
		ID git.ID `yaml:"id"`
	}{id})
	if err != nil {
		panic(err) // nothing in it can fail
	}
	return key + strings.TrimSpace(strings.TrimPrefix(string(text), "id: "))
}

func (y *serverFixture) hash(kind, content string) git.ID {
	y.t.Helper()
	return git.ID(y.feed(content, "hash-object", "-t", kind, "--literally", "-w", "--stdin"))
}

func (y *serverFixture) feed(stdin string, args ...string) string {
	y.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin, cmd.Stderr, cmd.Env = y.clone, strings.NewReader(stdin), os.Stderr, append(os.Environ(), y.environ...)
	out, err := cmd.Output()
	require.NoError(y.t, err)
	return string(bytes.TrimSpace(out))
}
