package gitstore

import (
	"context"
	"encoding/hex"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A quarry makes commits that git would not make.
type quarry struct {
	*desk
	base git.ID
}

func newQuarry(t *testing.T, args ...string) *quarry {
	t.Helper()
	dir := gittest.Seeded(t, args...)
	d := newDesk(t, dir)
	return &quarry{d, git.ID(gittest.Git(t, dir, "rev-parse", "main"))}
}

func (q *quarry) object(kind, data string) git.ID {
	q.t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", kind, "-w", "--literally", "--stdin")
	cmd.Dir, cmd.Stdin = q.dir, strings.NewReader(data)
	out, err := cmd.Output()
	require.NoError(q.t, err)
	return git.ID(strings.TrimSpace(string(out)))
}

// row is an entry of a raw tree.
func (q *quarry) row(mode, name string, id git.ID) string {
	q.t.Helper()
	hash, err := hex.DecodeString(string(id))
	require.NoError(q.t, err)
	return mode + " " + name + "\x00" + string(hash)
}

func (q *quarry) file(name string) string { return q.row("100644", name, q.object("blob", name)) }

func (q *quarry) link(name, target string) string {
	return q.row("120000", name, q.object("blob", target))
}

func (q *quarry) folder(name string, rows ...string) string {
	return q.row("40000", name, q.object("tree", strings.Join(rows, "")))
}

// commit commits a tree of these rows upon a parent.
func (q *quarry) commit(parent git.ID, rows ...string) git.ID {
	q.t.Helper()
	return git.ID(gittest.Git(q.t, q.dir, "commit-tree", string(q.object("tree", strings.Join(rows, ""))), "-p", string(parent), "-m", "m"))
}

// flaw is what is wrong with a submission upon main.
func (q *quarry) flaw(commit git.ID) string {
	q.t.Helper()
	f, err := q.store.Commits.Facts(context.Background(), flow.Query{Submission: commit, Tip: q.base})
	var refused *flow.Refusal
	if err != nil {
		require.ErrorAs(q.t, err, &refused)
		return refused.Reason
	}
	if f.Flaw == nil {
		return ""
	}
	require.NotEmpty(q.t, f.Flaw.Hint)
	return f.Flaw.Reason
}

// Whatever git's verify_path refuses with both protections on, no submission
// brings; and what only Windows refuses neither.
func TestNamesThatSomeGitDoesNotCheckOut(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	for name, link := range map[string]bool{
		".git": false, ".GIT": false, "git~1": false, "GIT~1": false, ".git ": false, ".git..": false, ".git:stream": false, ".git . :x": false,
		"git~1 ": false, ".g\u200cit": false, ".Gi\u200dT\ufeff": false, `a\.git`: false, `.git\config`: false, "..": false, ".": false, "": false,
		".gitmodules": true, ".GITMODULES": true, "gitmod~1": true, "gi7eba~1": true, ".gitmodules ": true, ".git\u200cmodules": true,
	} {
		row := q.file(name)
		if link {
			row = q.link(name, "README")
		}
		commit := q.commit(q.base, row)
		cmd := exec.Command("git", "-c", "core.protectNTFS=true", "-c", "core.protectHFS=true", "read-tree", "--index-output="+filepath.Join(t.TempDir(), "index"), string(commit))
		cmd.Dir = q.dir
		require.Error(t, cmd.Run(), "git takes %q", name)
		require.NotEmpty(t, q.flaw(commit), "%q", name)
	}
	for _, name := range []string{strings.Repeat("A", 256), `a\b`, "CON", "con.txt", "aux:stream", "LPT1", "a.", "a ", "a?", "x\x01", "nul .c"} {
		require.NotEmpty(t, q.flaw(q.commit(q.base, q.file(name))), "%q", name)
		require.NotEmpty(t, q.flaw(q.commit(q.base, q.folder("x", q.folder(name, q.file("f"))))), "%q", name)
	}
	for _, name := range []string{strings.Repeat("A", 255), ".gitignore", ".github", "git~2", "gitmodules", "console", "com", ".git-x", "ä b", "-rf", "$(x)", "'", "nul_", "a.b c"} {
		require.Empty(t, q.flaw(q.commit(q.base, q.file(name))), "%q", name)
	}
	require.Empty(t, q.flaw(q.commit(q.base, q.row("100644", ".gitmodules", q.object("blob", "[submodule \"lib\"]\n\tpath = lib\n\turl = https://example.org/lib.git\n")))))
	for _, text := range []string{"[submodule \"../x\"]\n", "[submodule \"x\"]\n\turl = -x\n", "[submodule \"x\"]\n\tupdate = !touch x\n", "[submodule \"x\"]\n\tpath = \"-x\"\n"} {
		require.NotEmpty(t, q.flaw(q.commit(q.base, q.row("100644", ".gitmodules", q.object("blob", text)))), text)
	}
	require.NotEmpty(t, q.flaw(q.commit(q.base, q.row("100644", ".gitattributes", q.object("blob", strings.Repeat("a", 3000))))))
	deep := q.file("f")
	for range 600 {
		deep = q.folder("d", deep)
	}
	require.Contains(t, q.flaw(q.commit(q.base, deep)), "folders")

	// Files that the project had before remain allowed.
	q.base = q.commit(q.base, q.file("a:b"), q.file("c"))
	require.Empty(t, q.flaw(q.commit(q.base, q.row("100644", "a:b", q.object("blob", "changed")), q.file("c"), q.file("d"))))
	require.NotEmpty(t, q.flaw(q.commit(q.base, q.file("a:b"), q.file("c:d"))))

	// But none that no folder can have.
	for _, name := range []string{"..", ".git", "a/b"} {
		q.base = q.commit(q.base, q.file(name))
		require.Contains(t, q.flaw(q.commit(q.base, q.file(name), q.file("d"))), "is not a file name")
	}
}

// A folder is as git writes it, in every commit that a submission brings.
func TestFoldersThatAreNotCanonical(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	for name, rows := range map[string][]string{
		"twice":            {q.file("f"), q.link("f", "g")},
		"out of order":     {q.file("b"), q.file("a")},
		"folder and file":  {q.file("a"), q.file("a-"), q.folder("a", q.file("x"))},
		"mode 100664":      {q.row("100664", "f", q.object("blob", "x"))},
		"mode 0100644":     {q.row("0100644", "f", q.object("blob", "x"))},
		"mode 040000":      {q.row("040000", "f", q.object("tree", q.file("x")))},
		"no object":        {q.row("160000", "f", git.ID(strings.Repeat("0", 40)))},
		"a folder further": {q.folder("d", q.folder("e", q.file("b"), q.file("a")))},
		".git/config":      {q.folder(".git", q.file("config"))},
	} {
		bad := q.commit(q.base, rows...)
		require.NotEmpty(t, q.flaw(bad), name)
		require.NotEmpty(t, q.flaw(q.commit(bad, q.file("README"), q.file("f"))), "%s, further down", name)
	}
	for name, raw := range map[string]string{"no mode": "100644\x00", "no name": "\x00 ", "no id": "100644 f\x00short"} {
		cut := git.ID(gittest.Git(t, q.dir, "commit-tree", string(q.object("tree", raw)), "-p", string(q.base), "-m", "m"))
		require.Contains(t, q.flaw(q.commit(cut, q.file("f"))), "it is cut short", name)
	}
	good := q.commit(q.base, q.file("a"), q.file("a-"), q.folder("b", q.file("x")), q.file("b0"))
	require.Empty(t, q.flaw(good))

	// Further back than is read in process, and behind a merge.
	bad := q.commit(q.base, q.file("b"), q.file("a"))
	for range 20 {
		bad, good = q.commit(bad, q.file("c")), q.commit(good, q.file("c"))
	}
	require.Contains(t, q.flaw(bad), "out of order")
	require.Empty(t, q.flaw(good))
	merged := git.ID(gittest.Git(t, q.dir, "commit-tree", string(good)+"^{tree}", "-p", string(good), "-p", string(bad), "-m", "m"))
	require.Contains(t, q.flaw(merged), "out of order")

	// A commit with a header that git refuses.
	raw := gittest.Git(t, q.dir, "cat-file", "commit", string(good)) + "\n"
	evil := q.object("commit", strings.Replace(raw, "author Ada", "author A\x00da", 1))
	require.Contains(t, q.flaw(evil), "not as git writes it")
	require.Contains(t, q.flaw(q.commit(evil, q.file("x"))), "not as git writes it")
}

// The tree determines where links lead, not their text alone.
func TestLinksLeadNowhereElse(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	up := q.folder("d", q.folder("e", q.link("up", "../..")))
	for why, rows := range map[string][]string{
		"leads out of the tree":            {up, q.link("leak", "d/e/up/../etc/passwd")},
		"leads into .git":                  {up, q.link("leak", "d/e/up/.git/config")},
		"leads through too many others":    {q.link("a", "b"), q.link("b", "a")},
		"leads into a submodule":           {q.link("a", "m/x"), q.row("160000", "m", q.base)},
		"takes \"D\" for \"d\"":            {q.link("a", "D/x"), q.link("d", ".")},
		"takes \"e\u0301\" for \"\u00e9\"": {q.link("a", "e\u0301/../x"), q.link("\u00e9", "x/y/../..")},
	} {
		require.Contains(t, q.flaw(q.commit(q.base, rows...)), why)
	}
	for _, target := range []string{"../x", "/etc", "C:/x", `..\x`, "a/../../x", "git~1/x"} {
		require.NotEmpty(t, q.flaw(q.commit(q.base, q.link("l", target))), target)
	}
	require.Empty(t, q.flaw(q.commit(q.base, q.file("README"), up, q.link("l", "d/e/up/README"), q.link("m", "nowhere/x"), q.link("n", "l"))))

	// One that was there is judged again when another one changes where it leads.
	q.base = q.commit(q.base, q.folder("d", q.file("up")), q.link("leak", "d/up/../../d"), q.link("old", "/usr"))
	require.Contains(t, q.flaw(q.commit(q.base, q.folder("d", q.link("up", "../.")), q.link("leak", "d/up/../../d"), q.link("old", "/usr"))), `"leak" is a symbolic link that leads out`)
	require.Empty(t, q.flaw(q.commit(q.base, q.folder("d", q.link("up", "x")), q.link("leak", "d/up/../../d"), q.link("old", "/usr"))))
}

// A check that would take long is refused early.
func TestSoundnessIsBounded(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	rows := []string{}
	for i := range 39 { // each doubles the way of the next
		name := string(rune('a'+i/10)) + string(rune('0'+i%10))
		next := string(rune('a'+(i+1)/10)) + string(rune('0'+(i+1)%10))
		rows = append(rows, q.link(name, "./"+strings.Repeat("x/../", 800)+next))
	}
	require.Contains(t, q.flaw(q.commit(q.base, rows...)), "too many others")
}

// The submitter determines how long these lists are. So reading each of them ends
// with the context, not only at its end.
func TestFactsEndWithTheirContext(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	const many, few = 50, 20
	var rows []string
	var specs []flow.TextQuery
	var trees []git.ID
	for i := range many {
		name := fmt.Sprintf("f%02d", i)
		rows, specs = append(rows, q.file(name)), append(specs, flow.TextQuery{Path: name})
		trees = append(trees, q.object("tree", q.file(name)))
	}
	wide := q.commit(q.base, rows...)
	raw := gittest.Git(t, q.dir, "cat-file", "commit", string(wide)) + "\n"
	parent := "parent " + string(q.base) + "\n"
	octopus := q.object("commit", strings.Replace(raw, parent, strings.Repeat(parent, many), 1))
	c, err := q.store.objects.Commit(wide)
	require.NoError(t, err)
	judge := func() *objectChecker { return &objectChecker{commits: q.store.Commits} }
	for name, facts := range map[string]func(context.Context) error{
		"specs": func(ctx context.Context) error {
			_, err := q.store.Commits.Facts(ctx, flow.Query{Texts: specs, Tip: q.base})
			return err
		},
		"a folder":          func(ctx context.Context) error { return judge().checkFolder(ctx, "", c.Tree, nil) },
		"folders before it": func(ctx context.Context) error { return judge().checkFolder(ctx, "", c.Tree, trees) },
		"parents":           func(ctx context.Context) error { return judge().checkCommit(ctx, octopus) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, facts(gittest.EndsAfter(10*many)))
			require.ErrorIs(t, facts(gittest.EndsAfter(few)), context.Canceled)
		})
	}
}
