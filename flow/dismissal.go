package flow

import (
	"fmt"
	"strings"
	"time"
)

// A Dismissal says that a record needs nobody's attention any more.
type Dismissal struct {
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// recordKinds are the folders of records, by the names of their kinds.
var recordKinds = map[string]Folder{"anomaly": Anomalies, "discovery": Discovered, "note": Notes}

// RecordKind is the kind of a record of the board, as [DismissRecordMove] names
// it; "" if there is no such record. The numbers of records are unique.
func RecordKind(b *Board, id RecordID) string {
	for kind, folder := range recordKinds {
		if b.Load(Key{folder, string(id)}) != nil {
			return kind
		}
	}
	return ""
}

// DismissRecordMove dismisses an anomaly, a discovery or a note.
type DismissRecordMove struct {
	Kind   string   `yaml:"kind"` // anomaly, discovery or note
	Record RecordID `yaml:"record"`
	Reason string   `yaml:"reason"`
}

func (d *DismissRecordMove) subject() string { return string(d.Record) }

func (d *DismissRecordMove) key() Key { return Key{recordKinds[d.Kind], string(d.Record)} }

func (d *DismissRecordMove) already(p *play) bool {
	if recordKinds[d.Kind] == 0 {
		return false
	}
	was := dismissalOf(p.board.Load(d.key()))
	return was != nil && was.Reason == d.Reason && was.By == p.move.By
}

func (d *DismissRecordMove) check(p *play) *Refusal {
	hint := "git liza record dismiss " + string(d.Record) + " --reason R"
	if recordKinds[d.Kind] == 0 {
		return refuse(RuleForm, hint, "%q is no kind of record: anomaly, discovery or note", clip(d.Kind))
	}
	if r := present("the reason", d.Reason, hint); r != nil {
		return r
	}
	doc := p.board.Load(d.key())
	if doc == nil {
		return refuse(RuleNotFound, "git liza record list --all", "there is no %s %s", d.Kind, clip(string(d.Record)))
	}
	if was := dismissalOf(doc); was != nil {
		return refuse(RuleExists, "git liza record list --all", "%s dismissed %s: %s", was.By, d.Record, clip(was.Reason))
	}
	return nil
}

func (d *DismissRecordMove) apply(p *effect) {
	doc, dismissed, _ := marksOf(p.board.Load(d.key()))
	*dismissed = &Dismissal{Reason: d.Reason, By: p.move.By, At: p.move.At}
	p.put(d.key(), doc)
	if a, ok := doc.(*Anomaly); ok {
		doubt(p, a.Task, a.ID, "")
	}
}

// marksOf are a copy of a record, its dismissal, which is nil if it has none, and whether it is
// archived. What is no record has neither.
func marksOf(doc Document) (c Document, dismissed **Dismissal, archived *bool) {
	switch r := doc.(type) {
	case *Anomaly:
		r = copied(r)
		return r, &r.Dismissed, &r.Archived
	case *Discovery:
		r = copied(r)
		return r, &r.Dismissed, &r.Archived
	case *Note:
		r = copied(r)
		return r, &r.Dismissed, &r.Archived
	}
	return doc, new(*Dismissal), new(bool)
}

// dismissalOf is the dismissal of a record, nil if it has none.
func dismissalOf(doc Document) *Dismissal {
	_, dismissed, _ := marksOf(doc)
	return *dismissed
}

// archived reports whether a record is archived.
func archived(doc Document) bool {
	_, _, archived := marksOf(doc)
	return *archived
}

// sameMarks reports whether a record is dismissed, archived and put off as another one.
func sameMarks(x, y Document) bool {
	was, is := dismissalOf(x), dismissalOf(y)
	if d, ok := x.(*Discovery); ok && fmt.Sprint(known(d.Deferred)) != fmt.Sprint(known(y.(*Discovery).Deferred)) {
		return false
	}
	return archived(x) == archived(y) && (was == nil) == (is == nil) && (was == nil || was.Reason == is.Reason && was.By == is.By && was.At.Equal(is.At))
}

// RecordsToArchive are the keys of the records of a sprint that are not archived.
// Discoveries that are open stay.
func RecordsToArchive(b *Board, sprint SprintID) []Key {
	var list []Key
	for _, folder := range []Folder{Anomalies, Discovered, Notes} {
		for _, id := range b.IDs(folder) {
			key := Key{folder, id}
			if !strings.HasPrefix(id, string(sprint)+"/") {
				continue
			}
			if d, ok := b.Load(key).(*Discovery); ok && d.IsOpen(b.At()) {
				continue // somebody must still look at it
			}
			if !archived(b.Load(key)) {
				list = append(list, key)
			}
		}
	}
	return list
}

// archiveRecord marks a record as archived.
func archiveRecord(p *effect, key Key) {
	doc, _, archived := marksOf(p.board.Load(key))
	*archived = true
	p.put(key, doc)
}
