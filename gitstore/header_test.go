package gitstore

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/internal/gittest"
)

// A commit passes where git's own fsck lets it pass to a clone that checks what
// it gets, and nowhere else but for control characters and long lines.
func TestCommitsAreCheckedAsGitChecksThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q", "--bare")
	tree := strings.TrimSpace(gittest.Git(t, dir, "hash-object", "-t", "tree", "-w", "/dev/null"))
	parent := strings.Repeat("1", 40)
	ident := "A <a@b> 1768658760 +0000"
	whole := "tree " + tree + "\nauthor " + ident + "\ncommitter " + ident + "\n\nm\n"
	with := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	for raw, stricter := range map[string]bool{
		whole:                                                 false,
		with("m\n", ""):                                       false,
		with("author A", "author \xe4 Ü."):                    false,
		with("author A <a@b>", "author A B <>"):               false,
		with("+0000\nc", "-1234\nc"):                          false,
		with("1768658760", "0"):                               false,
		with("1768658760", "9223372036854775807"):             false,
		with("author A", "author \x1b[31mA"):                  true,
		with("author A", "author A\r"):                        true,
		with("author A", "author "+strings.Repeat("A", 1100)): true,
		with("1768658760", "9223372036854775808"):             false,
		with("1768658760", "99999999999999999999999"):         false,
		with("1768658760", "-5"):                              false,
		with("1768658760", "07"):                              false,
		with("1768658760", ""):                                false,
		with("+0000", "+9999999"):                             false,
		with("+0000", "0000"):                                 false,
		with("+0000", "+00:0"):                                false,
		with("A <", "A<"):                                     false,
		with("A <", "<"):                                      false,
		with("A <", "A> <"):                                   false,
		with("<a@b>", "a@b"):                                  false,
		with("<a@b>", "<a<b>"):                                false,
		with("<a@b>", "<a@b"):                                 false,
		with("> 1", ">1"):                                     false,
		with("author A", "author \x00A"):                      false,
		with("m\n", "m\x00\n"):                                false,
		with("author "+ident+"\n", ""):                        false,
		with("committer "+ident+"\n", ""):                     false,
		with("author ", "author "+ident+"\nauthor "):          false,
		with("author ", "parent "+parent[1:]+"\nauthor "):     false,
		with("author ", "parent "+strings.ToUpper(strings.Repeat("a", 40))+"\nauthor "): true,
		with("tree "+tree, "tree "+tree[1:]):                                            false,
		with("tree ", "Tree "):                                                          false,
		with("\n\nm\n", ""):                                                             false,
		with("\n\nm\n", "\n"):                                                           false,
		with("\n\nm\n", "\nencoding latin1\n\nm\n"):                                     false,
	} {
		takes := taken(t, dir, raw)
		if stricter {
			require.True(t, takes, "git takes %q", raw)
			takes = false
		}
		if err := checkCommit([]byte(raw), 40); takes {
			require.NoError(t, err, "%q", raw)
		} else {
			require.Error(t, err, "%q", raw)
		}
	}
}

// taken reports whether a clone with fsckObjects takes a commit.
func taken(t *testing.T, dir, raw string) bool {
	t.Helper()
	run := func(stdin string, args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.Output()
		return string(out), err
	}
	id, err := run(raw, "hash-object", "-t", "commit", "-w", "--literally", "--stdin")
	require.NoError(t, err)
	pack, err := run(id, "pack-objects", "-q", "--stdout")
	require.NoError(t, err)
	_, err = run(pack, "index-pack", "--fsck-objects", "--stdin")
	return err == nil
}

// What an agent says is held to the same line of its author as a move.
func TestNobodySaysAnythingUnderATooLongName(t *testing.T) {
	d := newDesk(t, gittest.Seeded(t))
	t.Setenv("GIT_COMMITTER_NAME", strings.Repeat("n", maxIdent))
	r := open(t, d.dir)
	_, err := SaveSession(t.Context(), r, ended("coder-1", generation, "a", 1), nil, nil)
	require.ErrorContains(t, err, "give no valid author line")
	require.ErrorContains(t, SavePresence(t.Context(), r, alive("coder-1", generation, 1)), "give no valid author line")
	require.Empty(t, gittest.Git(t, d.dir, "for-each-ref", layout.SessionRefs, layout.PresenceRefs))
}
