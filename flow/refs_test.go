package flow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestRefs: the refs that move with a move follow from it and the board alone.
func TestRefs(t *testing.T) {
	t.Parallel()
	const integration = "refs/heads/integration"
	s := staged(t, "human:ann add a b | coder-1 claim a | coder-1 intent a | coder-1 submit a c1")
	tip := object("tip")
	for line, want := range map[string][]RefMove{
		"coder-1 claim b":               nil,
		"coder-1 claim a saved=left":    {{Name: "refs/liza/saved/a/2", New: object("left")}},
		"coder-1 submit a c2":           {{Name: "refs/liza/saved/a/2", New: object("c2")}},
		"coder-1 merge a":               {{Name: integration, Old: tip, New: object("m-a")}},
		"coder-1 merge a saved=late":    {{Name: "refs/liza/saved/a/2", New: object("late")}, {Name: integration, Old: tip, New: object("m-a")}},
		"human:ann adopt x1":            {{Name: integration, Old: tip, New: object("x1")}},
		"human:ann adopt tip tasks=a":   nil,
		"human:ann unblock a saved=s":   {{Name: "refs/liza/saved/a/2", New: object("s")}},
		"human:ann abandon b saved=s":   {{Name: "refs/liza/saved/b/1", New: object("s")}},
		"human:ann supersede b saved=s": {{Name: "refs/liza/saved/b/1", New: object("s")}},
		"human:ann checkpoint":          {{Name: "refs/liza/marks/checkpoint-1", State: true}},
		"human:ann trip":                {{Name: "refs/liza/marks/checkpoint-1", State: true}},
		"human:ann sprint_start":        {{Name: "refs/liza/marks/sprint-1", State: true}},
		"human:ann note":                nil,
	} {
		m, _ := s.moveOf(strings.Fields(line))
		require.Equal(t, want, m.Refs(s.board), line)
	}
	root := empty(t)
	m := root.by("human:ann", board.ActInit, "", newBoard())
	require.Equal(t, []RefMove{{Name: "refs/liza/marks/sprint-1", State: true}, {Name: integration, New: tip}}, m.Refs(root.board))
	m.Detail.(*InitMove).Created = false
	require.Len(t, m.Refs(root.board), 1)
}

// TestMarksAreNew: no two moves name the same mark.
func TestMarksAreNew(t *testing.T) {
	t.Parallel()
	s := opened(t)
	seen := map[string]bool{"refs/liza/marks/sprint-1": true}
	for _, line := range []string{
		"human:ann checkpoint", "human:ann decide CONTINUE", "human:ann anomaly workaround", "human:ann trip", "human:ann reset",
		"human:ann decide CONTINUE", "human:ann sprint_close", "human:ann sprint_start", "human:ann checkpoint",
		"human:ann sprint_close", "human:ann sprint_start",
	} {
		m, facts := s.moveOf(strings.Fields(line))
		for _, ref := range m.Refs(s.board) {
			require.False(t, seen[ref.Name], "%s names %s again", line, ref.Name)
			seen[ref.Name] = true
		}
		require.Nil(t, s.judge(m, facts), line)
	}
	require.Len(t, seen, 6)
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	s := staged(t, `human:ann add a | human:ann add d +draft | coder-1 claim a | coder-1 intent a | coder-1 submit a c1
		code-reviewer-1 review a | code-reviewer-1 approve a | human:ann adopt x1 | coder-1 integration_fail a | coder-1 claim a`)
	tip := object("x1")
	tracked := []TextQuery{{Path: vision, Anchors: []string{"goal"}}}
	for line, want := range map[string]Query{
		"human:ann note":                            {},
		"human:ann add b c spec=doc/s.md#part":      {Texts: []TextQuery{{Path: "doc/s.md", Anchors: []string{"part"}}}, Tip: tip},
		"human:ann add b +draft":                    {Tip: tip},
		"human:ann finalize d":                      {Texts: tracked, Tip: tip},
		"human:ann edit d spec=other.md":            {Tip: tip},
		"human:ann edit a spec=other.md +draft":     {Tip: tip},
		"human:ann goal g spec=doc/g.md":            {Texts: []TextQuery{{Path: "doc/g.md"}}, Tip: tip},
		"coder-1 claim a saved=left":                {Saves: []board.ObjectID{object("left")}, Tip: tip},
		"coder-1 submit a c2":                       {Submission: object("c2"), Brought: true, Behind: []board.ObjectID{object("tip"), tip}, Tip: tip},
		"coder-1 merge a submission=c1 saved=l":     {Merge: object("m-a"), Submission: object("c1"), Brought: true, Onto: tip, DriftFrom: object("tip"), Saves: []board.ObjectID{object("l")}, Texts: tracked, At: object("m-a"), Tip: tip},
		"human:ann adopt x2":                        {Descendant: object("x2"), Behind: []board.ObjectID{tip}, Onto: tip, Texts: tracked, At: object("x2"), Tip: tip},
		"human:ann accept specs/vision.md none.md":  {Texts: tracked, Tip: tip},
		"human:ann reopen":                          {Texts: tracked, Tip: tip},
		"human:ann supersede a b spec=n.md saved=l": {Texts: []TextQuery{{Path: "n.md"}}, Saves: []board.ObjectID{object("l")}, Tip: tip},
	} {
		m, _ := s.moveOf(strings.Fields(line))
		require.Equal(t, want, Ask(s.board, m), line)
	}
	root := empty(t)
	require.Equal(t, Query{Saves: []board.ObjectID{object("tip")}, Texts: []TextQuery{{Path: vision}}, Tip: object("tip")},
		Ask(root.board, root.by("human:ann", board.ActInit, "", newBoard())))
}
