package gitstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hiddeco/sshsig"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

func signerOf(t testing.TB, seed byte) ssh.Signer {
	t.Helper()
	signer, err := ssh.NewSignerFromKey(testKey(seed))
	require.NoError(t, err)
	return signer
}

func statementOf(t testing.TB) Statement {
	t.Helper()
	return Statement{Board: "00112233445566aa", State: git.ID(strings.Repeat("5", 40)), Tree: git.ID(strings.Repeat("7", 40)), Moves: 12, At: boardTime}
}

func TestGoldenStatement(t *testing.T) {
	t.Parallel()
	text, err := signStatement(statementOf(t), signerOf(t, 7))
	require.NoError(t, err)
	golden(t, "statement.txt", text)
	s, key, err := parseStatement(text)
	require.NoError(t, err)
	require.Equal(t, statementOf(t), s)
	require.Equal(t, signerOf(t, 7).PublicKey().Marshal(), key.Marshal())
	require.Len(t, KeyName(key), 40)
}

// Whatever is changed of a statement, it is none any more.
func TestStatementsThatAreTamperedWith(t *testing.T) {
	t.Parallel()
	whole, err := signStatement(statementOf(t), signerOf(t, 7))
	require.NoError(t, err)
	other := statementOf(t)
	other.Moves = 13
	later, err := signStatement(other, signerOf(t, 7))
	require.NoError(t, err)
	_, block := cutSignature(later)
	before, _ := cutSignature(whole)
	_, doc, _ := strings.Cut(before, "\n\n")
	move, err := sshsig.Sign(strings.NewReader(doc), signerOf(t, 7), signatureHash, signatureNamespace)
	require.NoError(t, err)
	for name, c := range map[string]struct{ text, says string }{
		"count":        {strings.ReplaceAll(whole, "12", "13"), "the signature is over something else"},
		"headline":     {strings.Replace(whole, "of 12 moves", "of 13 moves", 1), "not in canonical form"},
		"board":        {strings.Replace(whole, "00112233445566aa", "00112233445566ab", 1), "the signature is over something else"},
		"time":         {strings.Replace(whole, "2026-01-17T14:06:00Z", "2026-01-17T14:07:00Z", 1), "the signature is over something else"},
		"a key more":   {strings.Replace(whole, "moves: 12\n", "moves: 12\nmore: 1\n", 1), "more"},
		"other form":   {strings.Replace(whole, "moves: 12", "moves:  12", 1), "not in canonical form"},
		"unsigned":     {before, "there is no signature"},
		"another's":    {before + block, "the signature is over something else"},
		"of a move":    {before + armour(move), `the signature is for "liza-move"`},
		"a tail":       {whole + "x\n", "does not end"},
		"two blocks":   {whole + block, "not base64"},
		"no statement": {"hello\n", "there is no signature"},
		"empty":        {"", "there is no signature"},
	} {
		_, _, err := parseStatement(c.text)
		require.ErrorIs(t, err, errStatement, name)
		require.ErrorContains(t, err, c.says, name)
	}
}

// The keys that a machine trusts, in each form, and what is no key.
func TestJoinKeys(t *testing.T) {
	t.Parallel()
	line := publicLine(signerOf(t, 1).PublicKey())
	for text, n := range map[string]int{
		line:                            1,
		line + " ann@host":              1,
		"# a comment\n\n" + line + "\n": 1,
		"ann@example.org " + line:       1,
		"ann@example.org,bob namespaces=\"git,liza-snapshot\" " + line: 1,
		"ann namespaces=\"git\" " + line:                               0,
		line + "\nbob " + publicLine(signerOf(t, 2).PublicKey()):       2,
	} {
		keys, err := parseJoinKeys(text)
		require.NoError(t, err, text)
		require.Len(t, keys, n, text)
	}
	for text, says := range map[string]string{
		"hello":                                 "there is no public key",
		"ssh-ed25519":                           "there is no public key",
		"ssh-ed25519 !!":                        "not base64",
		"ssh-ed25519 AAAA":                      "",
		"ann cert-authority " + line:            "cert-authority",
		"ann valid-before=\"20200101\" " + line: "valid-before",
		strings.Replace(line, "ssh-ed25519", "ssh-rsa", 1): "stands as ssh-rsa",
	} {
		_, err := parseJoinKeys(text)
		require.Error(t, err, text)
		require.ErrorContains(t, err, says, text)
	}
	r := newDesk(t, gittest.Seeded(t)).store.Repo
	_, err := joinKeys(t.Context(), r)
	requireRule(t, err, flow.RuleSignature, "this machine trusts no key of snapshots")
	gittest.Git(t, r.MainWorkTree(), "config", "liza.join.key", "keys")
	_, err = joinKeys(t.Context(), openRepo(t, r.MainWorkTree()))
	require.ErrorContains(t, err, "absolute path")
}

func openRepo(t *testing.T, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(t.Context(), dir)
	require.NoError(t, err)
	return r
}

// joining is a fresh clone of a lane's server that joins with snapshots that some keys sign.
func (l lane) joining(t *testing.T, trusted ...byte) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir(), now: boardTime.Add(time.Hour)}
	gittest.Git(t, d.dir, "clone", "-q", l.bare, ".")
	gittest.Git(t, d.dir, "config", "liza.join", "snapshot")
	for _, seed := range trusted {
		gittest.Git(t, d.dir, "config", "--add", "liza.join.key", publicLine(signerOf(t, seed).PublicKey()))
	}
	d.store = d.open()
	return d
}

// publishes puts a statement on the server, as a signs it after edit has changed it.
func (l lane) publishes(t *testing.T, seed byte, edit func(*Statement)) {
	t.Helper()
	ss := l.a.store.Snapshots
	s, err := ss.describe(t.Context(), l.a.at(layout.State))
	require.NoError(t, err)
	s.At = boardTime.Add(time.Hour)
	if edit != nil {
		edit(&s)
	}
	text, err := signStatement(s, signerOf(t, seed))
	require.NoError(t, err)
	l.pushes(t, KeyName(signerOf(t, seed).PublicKey()), text)
}

// pushes puts the commit of a message on the server, whatever it says.
func (l lane) pushes(t *testing.T, name, message string) {
	t.Helper()
	o := l.a.store.objects
	tree, err := o.WriteTree(nil)
	require.NoError(t, err)
	id, err := o.WriteCommit([]byte("tree " + string(tree) + "\nauthor A <a@example.org> 1768658760 +0000\ncommitter A <a@example.org> 1768658760 +0000\n\n" + message))
	require.NoError(t, err)
	require.NoError(t, o.Flush())
	gittest.Git(t, l.a.dir, "push", "-q", "--no-verify", l.bare, "+"+string(id)+":"+layout.SnapshotRefs+name)
}

func (d *desk) joins() error {
	_, err := d.store.Mirror.Join(d.t.Context(), "origin", false)
	return err
}

func TestJoinWithASnapshot(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.merged(t, "task-1")
	l.publishes(t, 7, nil)
	l.b.add("task-2") // after the snapshot
	d := l.joining(t, 3, 7)
	require.NoError(t, d.joins())
	require.Equal(t, l.b.at(layout.State), d.at(layout.State))
	require.Equal(t, l.b.at("refs/liza/marks/sprint-1"), d.at("refs/liza/marks/sprint-1"), "of a move behind the snapshot")

	audit := d.store.Audit
	u, err := audit.verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Equal(t, l.a.at(layout.State), u.Statement.State)
	require.Zero(t, u.Replayed)
	requireRule(t, audit.verification.RequireVerified(t.Context(), "it"), flow.RuleUnverified, "it waits until")
	for act, allowed := range map[flow.Act]bool{flow.ActApprove: false, flow.ActMerge: false, flow.ActAdopt: false, flow.ActAccept: false, flow.ActPrincipal: false,
		flow.ActRole: false, flow.ActRequire: false, flow.ActConfig: false, flow.ActAmend: false, flow.ActMigrate: false, flow.ActClaim: true, flow.ActNote: true} {
		err := audit.verification.AllowMove(t.Context(), flow.Move{Act: act})
		require.Equal(t, allowed, err == nil, act)
	}

	n, breach, err := audit.Fsck(t.Context(), true)
	require.NoError(t, err)
	require.Nil(t, breach)
	require.Greater(t, n, u.Statement.Moves)
	u, err = audit.verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Nil(t, u)
	require.NoError(t, audit.verification.AllowMove(t.Context(), flow.Move{Act: flow.ActMerge}))
}

// Every act that needs the right admin waits for the history behind a snapshot.
func TestActsOfAdminsWaitForHistory(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../flow/rules.go")
	require.NoError(t, err)
	rows := regexp.MustCompile(`\{Act(\w+), .*, admin, of\[`).FindAllStringSubmatch(string(table), -1)
	require.Greater(t, len(rows), 5)
	for _, row := range rows {
		guarded := slices.ContainsFunc(guardedActs, func(a flow.Act) bool { return strings.EqualFold(strings.ReplaceAll(a.String(), "_", ""), row[1]) })
		require.True(t, guarded, row[1])
	}
}

// A statement that is not so of the board, or that nobody here trusts, is refused, and
// nothing of the board is taken.
func TestSnapshotsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	zeros := git.ID(strings.Repeat("1", 40))
	for name, c := range map[string]struct {
		edit func(*Statement)
		says string
	}{
		"board": {func(s *Statement) { s.Board = "ffffffffffffffff" }, "it is about the board ffffffffffffffff"},
		"tree":  {func(s *Statement) { s.Tree = zeros }, "it names the tree 1111"},
		"count": {func(s *Statement) { s.Moves++ }, "moves up to"},
		"less":  {func(s *Statement) { s.Moves = 0 }, "it counts 0 moves"},
		"state": {func(s *Statement) { s.State = zeros }, "is not in the history of the board"},
		"time":  {func(s *Statement) { s.At = boardTime.Add(-time.Hour) }, "older than the move that it is about, 2026-01-17T14:06:00Z: the clock"},
		"ahead": {at(time.Minute + time.Second), "it is dated 2026-01-17T15:07:01Z, 1m1s ahead of this machine's clock"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLane(t)
			l.a.add("task-1")
			l.publishes(t, 7, c.edit)
			d := l.joining(t, 7)
			requireRule(t, d.joins(), flow.RuleSignature, c.says)
			d.emptyHanded()
		})
	}
	t.Run("key", func(t *testing.T) {
		t.Parallel()
		l := newLane(t)
		l.publishes(t, 8, nil)
		d := l.joining(t, 7)
		requireRule(t, d.joins(), flow.RuleSignature, "this machine does not trust that key")
		requireRule(t, d.joins(), flow.RuleSignature, "signed with "+ssh.FingerprintSHA256(signerOf(t, 8).PublicKey())[:len("SHA256:")+24]+"...")
		d.emptyHanded()
		gittest.Git(t, d.dir, "config", "liza.join", "full")
		d.store = d.open()
		require.NoError(t, d.joins())
		u, err := d.store.Verification.Unverified(t.Context())
		require.NoError(t, err)
		require.Nil(t, u)
	})
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		d := newLane(t).joining(t, 7)
		requireRule(t, d.joins(), flow.RuleSignature, "origin has no snapshot")
		d.emptyHanded()
	})
	t.Run("tampered", func(t *testing.T) {
		t.Parallel()
		l := newLane(t)
		text, err := signStatement(statementOf(t), signerOf(t, 7))
		require.NoError(t, err)
		l.pushes(t, KeyName(signerOf(t, 7).PublicKey()), strings.ReplaceAll(text, "12", "13"))
		d := l.joining(t, 7)
		requireRule(t, d.joins(), flow.RuleSignature, "the signature is over something else")
		d.emptyHanded()
	})
	t.Run("newer", func(t *testing.T) {
		t.Parallel()
		l := newLane(t)
		old := l.a.at(layout.State)
		l.a.add("task-1")
		l.publishes(t, 7, nil)
		gittest.Git(t, l.bare, "update-ref", layout.State, string(old))
		d := l.joining(t, 7)
		requireRule(t, d.joins(), flow.RuleSignature, "is not in the history of the board")
		d.emptyHanded()
	})
	t.Run("mode", func(t *testing.T) {
		t.Parallel()
		d := newLane(t).joining(t, 7)
		gittest.Git(t, d.dir, "config", "liza.join", "fast")
		d.store = d.open()
		require.ErrorContains(t, d.joins(), `"fast" is neither full nor snapshot`)
		d.emptyHanded()
	})
}

// emptyHanded holds that a clone has no board and follows none.
func (d *desk) emptyHanded() {
	d.t.Helper()
	require.Empty(d.t, d.at(layout.State))
	require.Empty(d.t, d.at(unverifiedSnapshot))
	remote, err := d.open().Authority(d.t.Context())
	require.NoError(d.t, err)
	require.Empty(d.t, remote)
}

// Of several snapshots the latest counts, of trusted keys alone.
func TestLatestSnapshotCounts(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.publishes(t, 1, nil)
	l.a.add("task-1")
	l.publishes(t, 2, nil)
	second := l.a.at(layout.State)
	l.a.add("task-2")
	l.publishes(t, 3, nil)
	d := l.joining(t, 1, 2)
	require.NoError(t, d.joins())
	u, err := d.store.Verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Equal(t, second, u.Statement.State)
}

// elsewhere is a state of a restored copy of the board, which went another way by some
// moves.
func (l lane) elsewhere(t *testing.T, moves int) func(*Statement) {
	t.Helper()
	d := l.a.copied()
	gittest.Git(t, d.dir, "config", "--unset", "liza.remote")
	d.store = d.open()
	for i := range moves {
		d.do(flow.Move{Act: flow.ActNote, By: ann, Detail: &flow.NoteMove{Text: fmt.Sprint("elsewhere ", i), For: "all"}})
	}
	s, err := d.store.Snapshots.describe(t.Context(), d.at(layout.State))
	require.NoError(t, err)
	return func(to *Statement) { s.At = to.At; *to = s }
}

func at(d time.Duration) func(*Statement) {
	return func(s *Statement) { s.At = boardTime.Add(time.Hour + d) }
}

// A snapshot of a trusted key that is not so of the board is left out and told, and the
// latest one that is so is taken, unless the other one was signed later and about more moves:
// then the remote may hide some.
func TestOneBadSnapshotStopsNobody(t *testing.T) {
	t.Parallel()
	var fewer, more func(*Statement)
	both := func(list ...func(*Statement)) func(*Statement) {
		return func(s *Statement) {
			for _, edit := range list {
				edit(s)
			}
		}
	}
	l := newLane(t)
	fewer = l.elsewhere(t, 1)
	l.a.add("task-1", "task-2")
	l.a.add("task-3")
	good := l.a.at(layout.State)
	more = l.elsewhere(t, 3)
	for name, c := range map[string]struct {
		edit          func(*Statement)
		says, refused string
	}{
		"earlier, of fewer moves": {both(fewer, at(-time.Second)), "is not in the history of the board", ""},
		"later, of fewer moves":   {both(fewer, at(time.Second)), "is not in the history of the board", ""},
		"earlier, of more moves":  {both(more, at(-time.Second)), "is not in the history of the board", ""},
		"as late, of more moves":  {both(more, at(0)), "is not in the history of the board", ""},
		"later, of more moves":    {both(more, at(time.Second)), "", "origin may lack moves"},
		"about another board":     {func(s *Statement) { s.Board = "ffffffffffffffff" }, "it is about the board ffffffffffffffff", ""},
		"ahead, of more moves":    {both(more, at(time.Minute+time.Second)), "ahead of this machine's clock", ""},
		"miscounted":              {both(at(time.Minute), func(s *Statement) { s.Moves += 9 }), "it counts ", ""},
		"of no commit":            {func(s *Statement) { s.State = git.ID(strings.Repeat("1", 40)) }, "is not in the history of the board", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lane{bare: filepath.Join(t.TempDir(), "bare"), a: l.a.copied()}
			gittest.Git(t, l.a.dir, "clone", "-q", "--mirror", l.a.dir, l.bare)
			l.publishes(t, 2, nil)
			l.publishes(t, 3, c.edit)
			d := l.joining(t, 2, 3)
			done, err := d.store.Mirror.Join(t.Context(), "origin", false)
			if c.refused != "" {
				requireRule(t, err, flow.RuleSignature, c.refused)
				d.emptyHanded()
				return
			}
			require.NoError(t, err)
			require.Len(t, done.LeftOut, 1)
			require.Contains(t, done.LeftOut[0].Reason, c.says)
			require.Equal(t, ssh.FingerprintSHA256(signerOf(t, 3).PublicKey()), done.LeftOut[0].Key)
			u, err := d.store.Verification.Unverified(t.Context())
			require.NoError(t, err)
			require.Equal(t, good, u.Statement.State)
		})
	}
}

// A statement is never older than the state that it is about, on whatever machine it is
// signed; where the clock is further behind than a move may be, nothing is signed.
func TestSnapshotsFollowTheBoard(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	signer := signerOf(t, 7)
	chain, err := d.store.Snapshots.Chain(t.Context(), d.at(layout.State))
	require.NoError(t, err)
	for behind, want := range map[time.Duration]time.Duration{-time.Hour: time.Hour, 0: 0, time.Second: 0, time.Minute: 0} {
		d.now = boardTime.Add(-behind)
		s, err := d.store.Snapshots.publish(t.Context(), signer)
		require.NoError(t, err)
		require.Equal(t, boardTime.Add(want), s.At)
		flaw, err := d.store.Snapshots.FindFlaw(s, chain)
		require.NoError(t, err)
		require.Nil(t, flaw)
	}
	signed := d.at(layout.SnapshotRefs + KeyName(signer.PublicKey()))
	d.now = boardTime.Add(-time.Minute - time.Second)
	_, err = d.store.Snapshots.publish(t.Context(), signer)
	require.ErrorIs(t, err, ErrClock)
	require.Equal(t, signed, d.at(layout.SnapshotRefs+KeyName(signer.PublicKey())))
}

// What is unreadable below the name of a trusted key is left out too.
func TestUnreadableSnapshotIsLeftOut(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.publishes(t, 1, nil)
	text, err := signStatement(statementOf(t), signerOf(t, 9))
	require.NoError(t, err)
	l.pushes(t, KeyName(signerOf(t, 2).PublicKey()), text)
	l.pushes(t, KeyName(signerOf(t, 3).PublicKey()), "hello\n")
	d := l.joining(t, 1, 2, 3)
	done, err := d.store.Mirror.Join(t.Context(), "origin", false)
	require.NoError(t, err)
	require.Len(t, done.LeftOut, 2)
	said := done.LeftOut[0].Reason + done.LeftOut[1].Reason
	require.Contains(t, said, "another key signed it")
	require.Contains(t, said, "it holds no signed statement")
}

// A snapshot that the remote has no more does not count, although this clone has fetched it.
func TestDeletedSnapshotDoesNotCount(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.publishes(t, 1, nil)
	l.a.add("task-1")
	l.publishes(t, 2, nil)
	d := l.joining(t, 1, 2)
	chain, err := d.store.Snapshots.Chain(t.Context(), l.a.at(layout.State))
	require.NoError(t, err)
	chosen := func() (SignedStatement, error) {
		s, left, err := d.store.Snapshots.choose(t.Context(), "origin", chain)
		require.Empty(t, left)
		return s, err
	}
	s, err := chosen()
	require.NoError(t, err)
	require.Equal(t, len(chain), s.Moves)
	for _, seed := range []byte{2, 1} {
		gittest.Git(t, l.bare, "update-ref", "-d", layout.SnapshotRefs+KeyName(signerOf(t, seed).PublicKey()))
		s, err = chosen()
		if seed == 2 {
			require.NoError(t, err)
			require.Equal(t, len(chain)-1, s.Moves)
		}
	}
	requireRule(t, err, flow.RuleSignature, "origin has no snapshot")
	kept, err := d.store.Repo.Refs.List(t.Context(), layout.RemoteRef("origin", "snapshots/"))
	require.NoError(t, err)
	require.Empty(t, kept)
}

// A history that does not replay freezes the clone, whose tip is kept; repair goes back to
// what replays.
func TestHistoryBehindASnapshotThatDoesNotReplay(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1")
	sound := l.a.at(layout.State)
	bad := l.a.tampered(sound)
	gittest.Git(t, l.a.dir, "push", "-q", "--no-verify", l.bare, "+"+string(bad)+":"+layout.State)
	gittest.Git(t, l.a.dir, "update-ref", layout.State, string(bad))
	l.publishes(t, 7, nil)
	d := l.joining(t, 7)
	require.NoError(t, d.joins())
	require.Equal(t, bad, d.at(layout.State))
	require.NoError(t, d.store.Verification.AllowMove(t.Context(), flow.Move{Act: flow.ActNote}))

	_, breach, err := d.store.Audit.Fsck(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, bad, breach.Commit)
	u, err := d.store.Verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Equal(t, bad, u.Breach)
	requireRule(t, d.store.Verification.AllowMove(t.Context(), flow.Move{Act: flow.ActNote}), flow.RuleUnverified, "does not replay")
	requireRule(t, d.store.Verification.RequireVerified(t.Context(), "it"), flow.RuleUnverified, "does not replay")
	_, err = d.store.Mirror.Sync(t.Context())
	requireRule(t, err, flow.RuleUnverified, "does not replay")
	requireRule(t, d.joins(), flow.RuleUnverified, "does not replay")
	kept, err := d.store.Repo.Refs.List(t.Context(), layout.RescueRefs)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	for _, id := range kept {
		require.Equal(t, bad, id)
	}

	done, err := d.store.Repairer.Repair(t.Context())
	require.NoError(t, err)
	require.Equal(t, sound, done.Is)
	u, err = d.store.Verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Nil(t, u)
}

// A history that cannot be read does not freeze the clone: the verification stays open, and
// ends once it can.
func TestHistoryBehindASnapshotThatCannotBeRead(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	early := l.a.add("task-1").Commit
	l.a.add("task-2")
	l.publishes(t, 7, nil)
	for name, spoil := range map[string]func(t *testing.T, path string){
		"missing": func(*testing.T, string) {},
		"torn":    func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("torn"), 0o444)) },
		"failing": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o755)) }, // each read of it is an error
	} {
		for what, rev := range map[string]string{"commit": string(early), "tree": string(early) + ":tasks"} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				d := l.joining(t, 7)
				gittest.Git(t, d.dir, "config", "fetch.unpackLimit", "10000")
				require.NoError(t, d.joins())
				id := strings.TrimSpace(gittest.Git(t, d.dir, "rev-parse", rev))
				path := filepath.Join(d.dir, ".git", "objects", id[:2], id[2:])
				require.NoError(t, os.Rename(path, path+".away"))
				spoil(t, path)
				d.store = d.open()
				_, breach, err := d.store.Audit.Fsck(t.Context(), true)
				require.NoError(t, err)
				require.ErrorContains(t, breach, id)
				require.True(t, breach.isUnread(), "%v", breach)
				d.unfrozen()
				require.NoError(t, os.RemoveAll(path))
				require.NoError(t, os.Rename(path+".away", path))
				d.store = d.open()
				_, breach, err = d.store.Audit.Fsck(t.Context(), true)
				require.NoError(t, err)
				require.Nil(t, breach)
				require.Empty(t, d.at(unverifiedSnapshot))
			})
		}
	}
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		d := l.joining(t, 7)
		require.NoError(t, d.joins())
		ctx, cancel := context.WithCancel(t.Context())
		audit := d.store.Audit
		u, err := audit.verification.Unverified(t.Context())
		require.NoError(t, err)
		_, breach, err := audit.replayTo(ctx, u.Statement.State, "", func(int, Event) { cancel() })
		require.ErrorIs(t, err, context.Canceled)
		require.Nil(t, breach)
		d.unfrozen()
	})
}

// unfrozen holds that the verification of a clone is open, and that it makes moves.
func (d *desk) unfrozen() {
	d.t.Helper()
	u, err := d.open().Verification.Unverified(d.t.Context())
	require.NoError(d.t, err)
	require.NotNil(d.t, u)
	require.Empty(d.t, u.Breach)
	require.NoError(d.t, d.store.Verification.AllowMove(d.t.Context(), flow.Move{Act: flow.ActNote}))
	requireRule(d.t, d.store.Verification.RequireVerified(d.t.Context(), "it"), flow.RuleUnverified, "waits until")
}

// A verification that ends early goes on where it was, and a second one waits for the first
// and does nothing again.
func TestVerificationGoesOn(t *testing.T) {
	t.Parallel()
	const size = 20
	d := newDesk(t, gittest.Seeded(t))
	for i := range 3 * size {
		d.do(flow.Move{Act: flow.ActNote, By: ann, Detail: &flow.NoteMove{Text: fmt.Sprint("word ", i), For: "all"}})
	}
	l := lane{bare: d.dir, a: d}
	done, err := d.store.Snapshots.publish(t.Context(), signerOf(t, 7))
	require.NoError(t, err)
	require.Equal(t, 3*size+1, done.Moves)
	other := l.joining(t, 7)
	require.NoError(t, other.joins())
	audit := other.store.Audit
	chain, breach := audit.history.listChain(done.State, "")
	require.Nil(t, breach)

	ctx, cancel := context.WithCancel(t.Context())
	other.store.Repo.Notice = func(string) {}
	replay := listedReplay(chain, size)
	replay.note = func(last git.ID, n int) {
		require.Equal(t, chain[n-1], last)
		audit.verification.noteReplayed(last, n)
		if n >= size {
			cancel()
		}
	}
	_, _, err = audit.replayEach(ctx, replay)
	require.ErrorIs(t, err, context.Canceled)
	u, err := audit.verification.Unverified(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, u.Replayed, size)
	before := u.Replayed

	unlock, err := git.HoldLock(t.Context(), other.store.Repo.CommonDir(), verifyLock)
	require.NoError(t, err)
	var waiting sync.WaitGroup
	var counts [2]int
	for i := range counts {
		store := other.open()
		told := make(chan string, 100)
		store.Repo.Notice = func(line string) { told <- line }
		waiting.Go(func() {
			n, breach, err := store.Audit.Fsck(t.Context(), true)
			assert.NoError(t, err)
			assert.Nil(t, breach)
			counts[i] = n
		})
		require.Equal(t, fmt.Sprintf("another process verifies the history: %d moves are replayed", before), <-told)
	}
	unlock()
	waiting.Wait()
	require.Equal(t, len(chain)-before, counts[0]+counts[1])
	require.Zero(t, min(counts[0], counts[1]))
	u, err = audit.verification.Unverified(t.Context())
	require.NoError(t, err)
	require.Nil(t, u)
	require.NoFileExists(t, audit.history.statePath(replayedFile))
}
