package board

import (
	"strings"
	"time"
)

// A Dismissal says that a record needs nobody's attention any more.
type Dismissal struct {
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// RecordKinds are the folders of records, by the names of their kinds.
var RecordKinds = map[string]Folder{"anomaly": Anomalies, "discovery": Discovered, "note": Notes}

// RecordKind is the kind of a record of the board, as flow.DismissRecordMove names
// it; "" if there is no such record. The numbers of records are unique.
func RecordKind(b *Board, id RecordID) string {
	for kind, folder := range RecordKinds {
		if b.Load(Key{folder, string(id)}) != nil {
			return kind
		}
	}
	return ""
}

// MarksOf are a copy of a record, its dismissal, which is nil if it has none, and whether it is
// archived. What is no record has neither.
func MarksOf(doc Document) (c Document, dismissed **Dismissal, archived *bool) {
	switch r := doc.(type) {
	case *Anomaly:
		r = CopyOf(r)
		return r, &r.Dismissed, &r.Archived
	case *Discovery:
		r = CopyOf(r)
		return r, &r.Dismissed, &r.Archived
	case *Note:
		r = CopyOf(r)
		return r, &r.Dismissed, &r.Archived
	}
	return doc, new(*Dismissal), new(bool)
}

// Archived reports whether a record is archived.
func Archived(doc Document) bool {
	_, _, archived := MarksOf(doc)
	return *archived
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
			if !Archived(b.Load(key)) {
				list = append(list, key)
			}
		}
	}
	return list
}
