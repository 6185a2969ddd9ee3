package view

import (
	"bufio"
	"io"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A stateHead is the beginning of the document of the whole board. A list of
// documents for each of [StateLists] follows it.
type stateHead struct {
	State      board.ObjectID     `yaml:"state"` // the commit on refs/liza/state
	At         time.Time          `yaml:"at"`    // time of its move
	Settings   *board.Settings    `yaml:",inline"`
	Principals *board.Principals  `yaml:",inline"`
	Breaker    *board.Breaker     `yaml:"breaker"`
	Reviews    *board.ReviewRules `yaml:"reviews"`
	Outages    *board.Outages     `yaml:"outages"`
}

// StateLists are the lists of the whole board, by their keys, in the order in
// which they are shown.
var StateLists = []struct {
	Key    string
	Folder board.Folder
}{
	{"goals", board.Goals}, {"sprints", board.Sprints}, {"tasks", board.Tasks}, {"archive", board.Archive}, {"agents", board.Agents},
	{"anomalies", board.Anomalies}, {"discovered", board.Discovered}, {"notes", board.Notes},
	{"roles", board.RolesFolder}, {"tracked", board.Tracked}, {"questions", board.Questions},
	{"planned", board.PlannedDocs}, {"marks", board.MarkDocs}, {"levels", board.Levels}, {"workflows", board.Workflows},
}

// head returns the beginning of the document of the whole board.
func (r Reading) head() *stateHead {
	settings := r.Board.Settings()
	head := &stateHead{State: r.Tip, At: r.Board.At(), Settings: &settings, Principals: r.Board.Principals()}
	head.Breaker, _ = r.Board.Load(board.Key{Folder: board.BreakerDoc}).(*board.Breaker)
	head.Reviews, _ = r.Board.Load(board.Key{Folder: board.ReviewsDoc}).(*board.ReviewRules)
	head.Outages, _ = r.Board.Load(board.Key{Folder: board.OutagesDoc}).(*board.Outages)
	return head
}

// WriteState writes the whole board as one document, piece by piece, because
// the document may be too large for memory.
func (r Reading) WriteState(w io.Writer) error {
	out, b := bufio.NewWriter(w), r.Board
	format := b.Settings().Format
	text, err := document.EncodeAt(format, r.head())
	if err != nil {
		return err
	}
	out.Write(text)
	for _, list := range StateLists {
		for i, id := range r.stateIDs(list.Folder) {
			doc := b.Load(board.Key{Folder: list.Folder, ID: id})
			if err := b.Err(); err != nil {
				return err
			}
			if text, err = document.EncodeAt(format, doc); err != nil {
				return err
			}
			if i == 0 {
				out.WriteString(list.Key + ":\n")
			}
			out.WriteString(listItem(string(text)))
		}
	}
	if err := b.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// listItem formats a document as an entry of a list. Block scalars keep their
// text, because YAML takes the indent of their first line as theirs.
func listItem(text string) string {
	var out strings.Builder
	lead := "  - "
	for line := range strings.Lines(text) {
		if line != "\n" {
			out.WriteString(lead)
		}
		out.WriteString(line)
		lead = "    "
	}
	return out.String()
}

// State returns the whole board as one object.
func (r Reading) State() Object {
	all := ObjectOf(r.head())
	for _, list := range StateLists {
		valueOf := func(id string) any { return ValueOf(r.Board.Load(board.Key{Folder: list.Folder, ID: id})) }
		all = append(all, Member{list.Key, append([]any{}, lists.Of(r.stateIDs(list.Folder), valueOf)...)})
	}
	return all
}

// stateIDs returns the ids of a list: live tasks in order of creation, all
// else by id.
func (r Reading) stateIDs(folder board.Folder) []string {
	if folder != board.Tasks {
		return r.Board.IDs(folder)
	}
	return lists.Of(r.Board.Tasks(), func(t board.Summary) string { return string(t.ID) })
}
