package view

import (
	"bufio"
	"io"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A stateHead is the beginning of the document of the whole board. A list of
// documents for each of [StateLists] follows it.
type stateHead struct {
	State      flow.ObjectID     `yaml:"state"` // the commit on refs/liza/state
	At         time.Time         `yaml:"at"`    // time of its move
	Settings   *flow.Settings    `yaml:",inline"`
	Principals *flow.Principals  `yaml:",inline"`
	Breaker    *flow.Breaker     `yaml:"breaker"`
	Reviews    *flow.ReviewRules `yaml:"reviews"`
	Outages    *flow.Outages     `yaml:"outages"`
}

// StateLists are the lists of the whole board, by their keys, in the order in
// which they are shown.
var StateLists = []struct {
	Key    string
	Folder flow.Folder
}{
	{"goals", flow.Goals}, {"sprints", flow.Sprints}, {"tasks", flow.Tasks}, {"archive", flow.Archive}, {"agents", flow.Agents},
	{"anomalies", flow.Anomalies}, {"discovered", flow.Discovered}, {"notes", flow.Notes},
	{"roles", flow.RolesFolder}, {"tracked", flow.Tracked}, {"questions", flow.Questions},
	{"planned", flow.PlannedDocs}, {"marks", flow.MarkDocs}, {"levels", flow.Levels}, {"workflows", flow.Workflows},
}

// head returns the beginning of the document of the whole board.
func (r Reading) head() *stateHead {
	settings := r.Board.Settings()
	head := &stateHead{State: r.Tip, At: r.Board.At(), Settings: &settings, Principals: r.Board.Principals()}
	head.Breaker, _ = r.Board.Load(flow.Key{Folder: flow.BreakerDoc}).(*flow.Breaker)
	head.Reviews, _ = r.Board.Load(flow.Key{Folder: flow.ReviewsDoc}).(*flow.ReviewRules)
	head.Outages, _ = r.Board.Load(flow.Key{Folder: flow.OutagesDoc}).(*flow.Outages)
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
			doc := b.Load(flow.Key{Folder: list.Folder, ID: id})
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
		valueOf := func(id string) any { return ValueOf(r.Board.Load(flow.Key{Folder: list.Folder, ID: id})) }
		all = append(all, Member{list.Key, append([]any{}, lists.Of(r.stateIDs(list.Folder), valueOf)...)})
	}
	return all
}

// stateIDs returns the ids of a list: live tasks in order of creation, all
// else by id.
func (r Reading) stateIDs(folder flow.Folder) []string {
	if folder != flow.Tasks {
		return r.Board.IDs(folder)
	}
	return lists.Of(r.Board.Tasks(), func(t flow.Summary) string { return string(t.ID) })
}
