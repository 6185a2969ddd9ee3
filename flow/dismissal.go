package flow

import "time"

// A Dismissal says that a record needs nobody's attention any more.
type Dismissal struct {
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// DismissRecordMove dismisses an anomaly, a discovery or a note.
type DismissRecordMove struct {
	Kind   string   `yaml:"kind"` // anomaly, discovery or note
	Record RecordID `yaml:"record"`
	Reason string   `yaml:"reason"`
}

func (d *DismissRecordMove) subject() string { return string(d.Record) }

func (d *DismissRecordMove) already(*play) bool { return false }

func (d *DismissRecordMove) check(*play) *Refusal { return unbuilt() }

func (d *DismissRecordMove) apply(*effect) {}
