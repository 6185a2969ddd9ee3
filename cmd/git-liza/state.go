package main

import (
	"bufio"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

type stateCommand struct {
	At string `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

// A stateHead is what the one document of the whole board begins with; a list
// of documents for every one of stateLists follows.
type stateHead struct {
	State      git.ID           `yaml:"state"` // the commit on refs/liza/state
	At         time.Time        `yaml:"at"`    // of its move
	Settings   *flow.Settings   `yaml:",inline"`
	Principals *flow.Principals `yaml:",inline"`
	Breaker    *flow.Breaker    `yaml:"breaker"`
}

// stateLists are the lists of the whole board, by their keys.
var stateLists = []struct {
	key    string
	folder flow.Folder
}{
	{"goals", flow.Goals}, {"sprints", flow.Sprints}, {"tasks", flow.Tasks}, {"archive", flow.Archive}, {"agents", flow.Agents},
	{"anomalies", flow.Anomalies}, {"discovered", flow.Discovered}, {"notes", flow.Notes},
}

func (c *stateCommand) Run(s *session) error {
	var l look
	var err error
	if c.At == "" {
		l, err = s.look()
	} else {
		l, err = s.lookAt(c.At)
	}
	if err != nil {
		return err
	}
	b := l.board
	settings := b.Settings()
	head := &stateHead{State: l.tip, At: b.At(), Settings: &settings, Principals: b.Principals()}
	head.Breaker, _ = b.Load(flow.Key{Folder: flow.BreakerDoc}).(*flow.Breaker)
	if s.json {
		return s.stateObject(head, b)
	}
	return s.stateDocument(head, b)
}

// stateDocument prints the board piece by piece: it may be larger than what
// is good to hold at once.
func (s *session) stateDocument(head *stateHead, b *flow.Board) error {
	out := bufio.NewWriter(s.stdout)
	text, err := document.Encode(head)
	if err != nil {
		return err
	}
	out.Write(text)
	for _, list := range stateLists {
		for i, id := range stateIDs(b, list.folder) {
			doc := b.Load(flow.Key{Folder: list.folder, ID: id})
			if err := b.Err(); err != nil {
				return err
			}
			if text, err = document.Encode(doc); err != nil {
				return err
			}
			if i == 0 {
				out.WriteString(list.key + ":\n")
			}
			out.WriteString(listItem(string(text)))
		}
	}
	if err := b.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// listItem sets a document as an entry of a list. Lines of a text keep their
// place in its block, which goes by the indent of its first line.
func listItem(document string) string {
	var out strings.Builder
	lead := "  - "
	for line := range strings.Lines(document) {
		if line != "\n" {
			out.WriteString(lead)
		}
		out.WriteString(line)
		lead = "    "
	}
	return out.String()
}

func (s *session) stateObject(head *stateHead, b *flow.Board) error {
	all, _ := viewOf(head).(object)
	for _, list := range stateLists {
		documents := []any{}
		for _, id := range stateIDs(b, list.folder) {
			documents = append(documents, viewOf(b.Load(flow.Key{Folder: list.folder, ID: id})))
		}
		all = append(all, member{list.key, documents})
	}
	if err := b.Err(); err != nil {
		return err
	}
	return s.answer("", all, "")
}

// stateIDs are the ids of a list: live tasks in order of creation, the rest
// by their ids.
func stateIDs(b *flow.Board, folder flow.Folder) []string {
	if folder != flow.Tasks {
		return b.IDs(folder)
	}
	var ids []string
	for _, t := range b.Tasks() {
		ids = append(ids, string(t.ID))
	}
	return ids
}
