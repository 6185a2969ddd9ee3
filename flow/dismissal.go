package flow

import (
	"fmt"

	"github.com/git-liza/git-liza/flow/board"
)

// DismissRecordMove dismisses an anomaly, a discovery or a note.
type DismissRecordMove struct {
	Kind   string         `yaml:"kind"` // anomaly, discovery or note
	Record board.RecordID `yaml:"record"`
	Reason string         `yaml:"reason"`
}

func (d *DismissRecordMove) subject() string { return string(d.Record) }

func (d *DismissRecordMove) key() board.Key {
	return board.Key{Folder: board.RecordKinds[d.Kind], ID: string(d.Record)}
}

func (d *DismissRecordMove) already(p *play) bool {
	if board.RecordKinds[d.Kind] == 0 {
		return false
	}
	was := dismissalOf(p.board.Load(d.key()))
	return was != nil && was.Reason == d.Reason && was.By == p.move.By
}

func (d *DismissRecordMove) check(p *play) *Refusal {
	hint := "git liza record dismiss " + string(d.Record) + " --reason R"
	if board.RecordKinds[d.Kind] == 0 {
		return refuse(RuleForm, hint, "%q is no kind of record: anomaly, discovery or note", board.Clip(d.Kind))
	}
	if r := present("the reason", d.Reason, hint); r != nil {
		return r
	}
	doc := p.board.Load(d.key())
	if doc == nil {
		return refuse(RuleNotFound, "git liza record list --all", "there is no %s %s", d.Kind, board.Clip(string(d.Record)))
	}
	if was := dismissalOf(doc); was != nil {
		return refuse(RuleExists, "git liza record list --all", "%s dismissed %s: %s", was.By, d.Record, board.Clip(was.Reason))
	}
	return nil
}

func (d *DismissRecordMove) apply(p *effect) {
	doc, dismissed, _ := board.MarksOf(p.board.Load(d.key()))
	*dismissed = &board.Dismissal{Reason: d.Reason, By: p.move.By, At: p.move.At}
	p.put(d.key(), doc)
	if a, ok := doc.(*board.Anomaly); ok {
		doubt(p, a.Task, a.ID, "")
	}
}

// dismissalOf is the dismissal of a record, nil if it has none.
func dismissalOf(doc board.Document) *board.Dismissal {
	_, dismissed, _ := board.MarksOf(doc)
	return *dismissed
}

// sameMarks reports whether a record is dismissed, archived and put off as another one.
func sameMarks(x, y board.Document) bool {
	was, is := dismissalOf(x), dismissalOf(y)
	if d, ok := x.(*board.Discovery); ok && fmt.Sprint(known(d.Deferred)) != fmt.Sprint(known(y.(*board.Discovery).Deferred)) {
		return false
	}
	return board.Archived(x) == board.Archived(y) && (was == nil) == (is == nil) && (was == nil || was.Reason == is.Reason && was.By == is.By && was.At.Equal(is.At))
}

// archiveRecord marks a record as archived.
func archiveRecord(p *effect, key board.Key) {
	doc, _, archived := board.MarksOf(p.board.Load(key))
	*archived = true
	p.put(key, doc)
}
