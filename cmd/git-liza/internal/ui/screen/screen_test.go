package screen

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds a screen against a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./cmd/git-liza/internal/ui/screen -update")
}

var sizes = [][2]int{{40, 15}, {80, 24}, {200, 60}}

func TestBoards(t *testing.T) {
	t.Parallel()
	boards := map[string]view.Reading{"usual": usual(), "full": full(), "empty": empty()}
	for name, r := range boards {
		for _, size := range sizes {
			s := newStage(t, r, size[0], size[1])
			s.send(tails{"coder-1": {"> go test ./...", "ok  limits 0.2s"}})
			golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), s.screen())
		}
	}
}

// The page of keys has every key at every size.
func TestPageOfKeys(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		s := newStage(t, usual(), size[0], size[1])
		s.typed("?")
		page := s.screen()
		golden(t, fmt.Sprintf("keys-%dx%d", size[0], size[1]), page)
		for _, k := range keys() {
			require.Contains(t, page, " "+k.names[0]+" ", size)
		}
		s.typed("q")
		require.Contains(t, s.screen(), "Needs you 2")
		require.False(t, s.quits)
		s.typed("q")
		require.True(t, s.quits)
	}
}

// A state that becomes unreadable leaves what was shown, with what is wrong and the command.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for _, size := range sizes {
		s := newStage(t, usual(), size[0], size[1])
		s.send(s.frameOf(nil, errors.New("tasks/01/task-1.yaml:3: \x1b]0;x\x07 no such key "+strings.Repeat("and so on ", 50))))
		shown := s.screen()
		require.Contains(t, shown, "! since 12:00Z: tasks/01/task-1.yaml:3:")
		require.Contains(t, shown, "git liza fsck --repair")
		require.Contains(t, shown, "git liza answer task-4")
		s.show(usual())
		require.NotContains(t, s.screen(), "fsck")

		s = newStage(t, usual(), size[0], size[1])
		s.frame, s.content = nil, nil
		require.Contains(t, s.screen(), "the board is being read")
		s.send(s.frameOf(nil, errors.New("it cannot be read")))
		require.Contains(t, s.screen(), "! since 12:00Z: it cannot be read")
		s.typed("down", "tab", "a", "right", "y", "z", "o", "l", "enter")
		require.Contains(t, s.screen(), "fsck --repair")
	}
}

// Nothing of the board takes more than its place or controls the terminal.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"escapes": "\x1b[31mred\x1b]0;title\x07\x9b2J\u0085 \x1bP+q\x1b\\ \r\n\t\x00end", "bidi": "a\u202eb\u2066c\u200fd\u061ce",
		"long": strings.Repeat("x", 4096), "words": strings.Repeat("word ", 819), "wide": strings.Repeat("漢字", 1000), "emoji": strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈", 200),
		"marks": "a" + strings.Repeat("\u0301", 2000) + "b", "invisible": strings.Repeat("\u200b\ufeff\U000e0041", 300) + "z", "wrong": "a\xff\xfeb\xc0", "flags": strings.Repeat("🇩🇪", 100),
		"selectors": strings.Repeat("a\ufe0fb\U000e0101", 100), "joiners": strings.Repeat("a\u200cb\u200d", 100),
	} {
		r := hostile(text)
		for _, size := range append([][2]int{{1, 1}, {3, 2}, {10, 4}, {20, 8}, {160, 18}}, sizes...) {
			s := newStage(t, r, size[0], size[1])
			s.send(tails{"coder-1": {text, text}})
			for range parts {
				for _, c := range s.screen() {
					require.False(t, c < ' ' && c != '\n' || c >= 0x7f && c < 0xa0 || unicode.In(c, unicode.Cf, unicode.Variation_Selector), "%s at %v: %q", name, size, c)
				}
				s.typed("tab")
			}
			s.typed("o")
			s.screen()
			s.typed("esc", "/", "text:", "esc", "down", "n")
			s.send(tea.PasteMsg{Content: text})
			s.screen()
		}
	}
}

// What nobody would see in a text is spelled out, and emoji are drawn one by one.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	shown := newStage(t, hostile("a\u200cb\ufe0fc\u202ed 👩\u200d💻 ❤\ufe0f"), 200, 60).screen()
	require.Contains(t, shown, "a<U+200C>b<U+FE0F>c<U+202E>d 👩💻 ❤")
}

// The chosen row stays chosen when others come before it.
func TestChoiceStays(t *testing.T) {
	t.Parallel()
	r := full()
	s := newStage(t, r, 80, 24)
	s.typed("down", "down")
	was, _ := s.row()
	r.Board = boardOf(withTask(fullDocuments(), &board.Task{ID: "first", Title: "First", Status: board.Blocked, Changed: ago(10000), Block: &board.Block{Reason: "it is older"}}))
	s.show(r)
	is, _ := s.row()
	require.Equal(t, was, is)
	require.Equal(t, 3, s.chosen[needs].place)
	s.typed("up")
	is, _ = s.row()
	require.NotEqual(t, was, is)
}

// Nothing is drawn anew while nothing changes.
func TestDrawnOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, usual(), 80, 24)
	s.View()
	drawn := s.shown
	s.View()
	require.Same(t, drawn, s.shown)
	s.send(tea.FocusMsg{})
	s.View()
	require.Same(t, drawn, s.shown)
	s.Update(minute{}) // what it waits for next is another minute
	require.Nil(t, s.shown)
}

// Parts without the focus show what is new, and so does the log at its first row.
func TestNewMovesAreShown(t *testing.T) {
	t.Parallel()
	r := usual()
	s := newStage(t, r, 80, 24)
	for _, keys := range [][]string{{}, {"tab", "tab", "tab"}} {
		s.typed(keys...)
		require.Equal(t, len(keys) > 0, s.focus == moves)
		for i := range 16 {
			note := view.Entry{State: board.ObjectID(fmt.Sprintf("%040d", 100+i)), Move: flow.Move{Act: board.ActNote, By: "human:ann", At: noon, Detail: &flow.NoteMove{Text: fmt.Sprint("note ", i)}}}
			r.Recent = append([]view.Entry{note}, r.Recent...)
			s.show(r)
		}
		require.Contains(t, s.screen(), "note 15\n")
	}
}
