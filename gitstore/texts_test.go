package gitstore

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/markdown"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// asked asks for paths without their sections.
func asked(paths ...string) []flow.TextQuery {
	var list []flow.TextQuery
	for _, path := range paths {
		list = append(list, flow.TextQuery{Path: path})
	}
	return list
}

func (q *quarry) texts(query flow.Query) map[string]flow.TextFact {
	q.t.Helper()
	f, err := q.store.Commits.Facts(context.Background(), query)
	require.NoError(q.t, err)
	return f.Texts
}

// Only regular files have a blob: no links, no submodules, no folders, and nothing
// behind a link. The sections are those of the file at the commit.
func TestTexts(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQuarry(t, args...)
			text := "# Vision\n\n## Retry\n\nThrice.\n\n## Limits\n\nNone.\n"
			spec, long := q.object("blob", text), q.object("blob", text+strings.Repeat("x", maxText))
			full := q.object("blob", text+strings.Repeat("x", maxText-len(text)))
			commit := q.commit(q.base, q.row("100644", "full.md", full), q.link("link.md", "vision.md"), q.link("linked", "specs"),
				q.row("100644", "long.md", long), q.row("160000", "module", q.base), q.row("100755", "run.md", spec),
				q.folder("specs", q.row("100644", "vision.md", spec)), q.row("100644", "vision.md", spec))
			anchors := []string{"limits", "none", "retry"}
			var query flow.Query
			for _, path := range []string{"full.md", "link.md", "linked/vision.md", "long.md", "module", "module/x", "none.md",
				"run.md", "specs", "specs/none.md", "specs/vision.md", "vision.md", "vision.md/", "vision.md/x", "/vision.md", ""} {
				query.Texts = append(query.Texts, flow.TextQuery{Path: path, Anchors: anchors})
			}
			query.Tip = commit
			got := q.texts(query)
			require.Len(t, got, len(query.Texts))
			sections := func(hashes ...string) (list []board.Section) {
				for i, hash := range hashes {
					list = append(list, board.Section{Anchor: anchors[i], Hash: hash})
				}
				return list
			}
			hashes := markdown.Hashes(text, anchors)
			require.Empty(t, hashes[1])
			for path, fact := range got {
				require.Equal(t, path, fact.Path)
				switch path {
				case "run.md", "specs/vision.md", "vision.md":
					require.Equal(t, spec, fact.Blob, path)
					require.EqualValues(t, sections(hashes...), fact.Sections, path)
				case "full.md":
					require.Equal(t, full, fact.Blob)
					require.Equal(t, hashes[2], fact.Sections[2].Hash)
				case "long.md":
					require.Equal(t, long, fact.Blob)
					require.EqualValues(t, sections(string(long), string(long), string(long)), fact.Sections)
				default:
					require.Empty(t, fact.Blob, path)
					require.EqualValues(t, sections("", "", ""), fact.Sections, path)
				}
			}
			query.At = q.base
			require.Empty(t, q.texts(query)["vision.md"].Blob, "another commit than the tip was asked for")
			query.At = git.ID(strings.Repeat("1", len(q.base)))
			require.Nil(t, q.texts(query))
		})
	}
}

// Of a merge, paths are answered that differ between its commit, its parents and
// the base. A rename is one path that goes and one that comes.
func TestTextsOfAMerge(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	a, b, c := q.object("blob", "# A\n"), q.object("blob", "# B\n"), q.object("blob", "# C\n")
	same := q.folder("same", q.row("100644", "s.md", a))
	file := func(name string, blob git.ID) string { return q.row("100644", name, blob) }
	base := q.commit(q.base, file("gone.md", a), file("ours.md", a), same, file("theirs.md", a), q.folder("x", file("both.md", a)))
	onto := q.commit(base, file("gone.md", a), file("ours.md", b), same, file("theirs.md", a), q.folder("x", file("both.md", b)))
	submission := q.commit(base, file("new.md", a), file("ours.md", a), same, q.link("theirs.md", "ours.md"), q.folder("x", file("both.md", c)))
	merge := q.commit(onto, file("new.md", a), file("ours.md", b), same, q.link("theirs.md", "ours.md"), q.folder("x", file("both.md", b)))
	query := flow.Query{Texts: asked("gone.md", "new.md", "nowhere.md", "ours.md", "same/s.md", "theirs.md", "x/both.md", "x/none.md"),
		At: merge, Merge: merge, Onto: onto, Base: base, Submission: submission, Tip: onto}
	fact := func(path string, at, onto, base, submitted git.ID) flow.TextFact {
		return flow.TextFact{Text: board.Text{Path: path, Blob: at}, Onto: onto, Base: base, Submitted: submitted}
	}
	require.Equal(t, map[string]flow.TextFact{
		"gone.md":   fact("gone.md", "", a, a, ""),
		"new.md":    fact("new.md", a, "", "", a),
		"ours.md":   fact("ours.md", b, b, a, a),
		"theirs.md": fact("theirs.md", "", a, a, ""),
		"x/both.md": fact("x/both.md", b, b, a, c),
	}, q.texts(query))

	adopted := flow.Query{Texts: query.Texts, At: merge, Descendant: merge, Onto: onto, Tip: onto}
	require.Equal(t, map[string]flow.TextFact{
		"gone.md":   fact("gone.md", "", a, "", ""),
		"new.md":    fact("new.md", a, "", "", ""),
		"theirs.md": fact("theirs.md", "", a, "", ""),
	}, q.texts(adopted))
}

// The lines of a submission's files are counted as editors number them.
func TestLines(t *testing.T) {
	t.Parallel()
	q := newQuarry(t)
	commit := q.commit(q.base, q.row("100644", "empty", q.object("blob", "")), q.link("link", "two"),
		q.row("100644", "open", q.object("blob", "a\nb")), q.row("100644", "two", q.object("blob", "a\nb\n")),
		q.row("100644", "large", q.object("blob", strings.Repeat("\n", maxText+1))))
	f, err := q.store.Commits.Facts(context.Background(), flow.Query{Submission: commit, Tip: q.base, Lines: []string{"empty", "large", "link", "none", "open", "two"}})
	require.NoError(t, err)
	require.True(t, f.Exists)
	require.Equal(t, map[string]int{"empty": 0, "large": math.MaxInt, "link": -1, "none": -1, "open": 2, "two": 2}, f.Lines)
}

// Thousands of paths cost no more than the folders that hold them.
func BenchmarkTexts(b *testing.B) {
	d := newDesk(b, gittest.Seeded(b))
	commit := d.commit(d.at("refs/heads/integration"), "vision.md", "# Vision\n")
	var paths []string
	for range 5000 {
		paths = append(paths, "specs/"+string(d.store.Repo.Hash("blob", []byte{byte(len(paths)), byte(len(paths) >> 8)})))
	}
	query := flow.Query{Texts: asked(append(paths, "vision.md")...), Tip: commit}
	for b.Loop() {
		if _, err := d.store.Commits.Facts(context.Background(), query); err != nil {
			b.Fatal(err)
		}
	}
}
