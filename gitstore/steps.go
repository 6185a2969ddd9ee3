package gitstore

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Step is a move with what it changed of the states of tasks and sprints.
type Step struct {
	Event
	Tasks   []TaskStep   // by id
	Sprints []SprintStep // by id
}

// A TaskStep says between which states a move led a task. From equals To where
// only its goal or sprint changed, and is 0 where the move added it.
type TaskStep struct {
	ID       board.TaskID
	From, To board.Status
	Goal     board.GoalID // of the task after the move, as the next two
	Sprint   board.SprintID
	Stretch  bool
}

// A SprintStep is a sprint that a move opened, ended or changed, as it is then.
type SprintStep struct {
	ID       board.SprintID `yaml:"id"`
	Goal     board.GoalID   `yaml:"goal"`
	Status   board.Phase    `yaml:"status"`
	Started  time.Time      `yaml:"started"`
	Deadline time.Time      `yaml:"deadline"` // zero if it has none
	Ended    time.Time      `yaml:"ended"`    // zero while it is open
}

// nearMoves is how many moves are read one by one in this process. Beyond it git reads
// them all at once, which is faster than to ask for each.
const nearMoves = 100

// Steps visits the moves after one state commit up to another, oldest first, until
// visit fails. after "" is before the first move. The error wraps ErrNoState if the
// chain up to to does not contain after. Moves of a newer format are visited as
// [Store.Log] shows them.
func (h *history) Steps(ctx context.Context, after, to git.ID, visit func(Step) error) error {
	var chain []Event
	for id := to; id != after; {
		if id == "" {
			return notReached(after, to)
		}
		if len(chain) == nearMoves {
			return h.farSteps(ctx, after, to, visit)
		}
		e, err := h.readLogged(id)
		if err != nil {
			return err
		}
		chain = append(chain, e)
		id = e.Parent
	}
	s := stepper{h, map[board.TaskID]taskHead{}}
	for _, e := range slices.Backward(chain) {
		if err := ctx.Err(); err != nil {
			return err
		}
		step, err := s.compare(e)
		if err == nil {
			err = visit(step)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// notReached is the error of a chain that does not contain a state.
func notReached(after, to git.ID) error {
	return fmt.Errorf("%w: %s does not lead to %s", ErrNoState, after.Short(), to.Short())
}

// A stepper finds what moves changed, one after the other.
type stepper struct {
	*history
	known map[board.TaskID]taskHead // of the tasks that it has come across
}

// A taskHead is what steps need of the document of a task.
type taskHead struct {
	Status  board.Status   `yaml:"status"`
	Goal    board.GoalID   `yaml:"goal"`
	Sprint  board.SprintID `yaml:"sprint"`
	Stretch bool           `yaml:"stretch"`
}

// compare finds what a move changed by comparing its tree with the one before.
func (s *stepper) compare(e Event) (Step, error) {
	step := Step{Event: e}
	var before git.ID
	if e.Parent != "" {
		c, err := s.readStateCommit(e.Parent)
		if err != nil {
			return step, err
		}
		before = c.Tree
	}
	found, pairs := map[string][2]git.Entry{}, map[board.Key]*[2]git.Entry{}
	err := s.diffTrees("", before, e.Tree, found)
	for path, pair := range found {
		key, ok := keyOf(path)
		switch {
		case !ok:
			continue
		case key.Folder == board.Archive:
			key.Folder = board.Tasks // archived tasks are the same bytes at another path
		case key.Folder != board.Tasks && key.Folder != board.Sprints:
			continue
		}
		if pairs[key] == nil {
			pairs[key] = &[2]git.Entry{}
		}
		for i, entry := range pair {
			if entry.Mode != 0 {
				pairs[key][i] = entry
			}
		}
	}
	for key, pair := range pairs {
		if err != nil {
			break
		}
		if key.Folder == board.Sprints {
			err = s.addSprint(&step, key, *pair)
		} else {
			err = s.addTask(&step, key, *pair)
		}
	}
	step.sort()
	return step, err
}

func (s *Step) sort() {
	slices.SortFunc(s.Tasks, func(a, b TaskStep) int { return strings.Compare(string(a.ID), string(b.ID)) })
	slices.SortFunc(s.Sprints, func(a, b SprintStep) int { return strings.Compare(string(a.ID), string(b.ID)) })
}

// addSprint adds a sprint whose document differs, if what a step says of it does.
func (s *stepper) addSprint(step *Step, key board.Key, pair [2]git.Entry) error {
	if pair[1].ID == "" {
		return nil
	}
	var docs [2]SprintStep
	for i, e := range pair {
		if e.ID == "" {
			continue
		}
		path := DocumentPath(key)
		data, err := s.documents.blob(path, e.ID)
		if err != nil {
			return err
		}
		if err := document.DecodeLoose(path, data, &docs[i]); err != nil {
			return err
		}
	}
	if docs[0] != docs[1] {
		step.Sprints = append(step.Sprints, docs[1])
	}
	return nil
}

// addTask adds a task whose document differs, if its state does.
func (s *stepper) addTask(step *Step, key board.Key, pair [2]git.Entry) error {
	id := board.TaskID(key.ID)
	if pair[0].ID == pair[1].ID || pair[1].ID == "" {
		return nil
	}
	was, ok := s.known[id]
	if !ok && pair[0].ID != "" {
		var err error
		if was, err = s.readHead(key, pair[0].ID); err != nil {
			return err
		}
	}
	is, err := s.readHead(key, pair[1].ID)
	if err != nil {
		return err
	}
	s.enter(step, id, was, is)
	return nil
}

// enter notes the state of a task after a move.
func (s *stepper) enter(step *Step, id board.TaskID, was, is taskHead) {
	s.known[id] = is
	if was != is {
		step.Tasks = append(step.Tasks, TaskStep{ID: id, From: was.Status, To: is.Status, Goal: is.Goal, Sprint: is.Sprint, Stretch: is.Stretch})
	}
}

func (s *stepper) readHead(key board.Key, blob git.ID) (taskHead, error) {
	path := DocumentPath(key)
	data, err := s.documents.blob(path, blob)
	if err != nil {
		return taskHead{}, err
	}
	return decodeHead(path, data)
}

// afterHead begins the first line of a task's document that steps do not need.
var afterHead = []byte("\ndone_when:")

// decodeHead reads the first keys of the document of a task.
func decodeHead(path string, data []byte) (head taskHead, err error) {
	if end := bytes.Index(data, afterHead); end > 0 {
		data = data[:end+1]
	}
	err = document.DecodeLoose(path, data, &head)
	return head, err
}
