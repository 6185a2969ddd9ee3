package flow

import "time"

// A Deferral says until when nobody has to look at a discovery.
type Deferral struct {
	Until  time.Time `yaml:"until"`
	Reason string    `yaml:"reason"`
	By     Actor     `yaml:"by"`
	At     time.Time `yaml:"at"`
}

// DeferMove puts a discovery off.
type DeferMove struct {
	Record RecordID  `yaml:"record"`
	Until  time.Time `yaml:"until"`
	Reason string    `yaml:"reason"`
}

func (d *DeferMove) subject() string { return string(d.Record) }

func (d *DeferMove) already(*play) bool { return false }

func (d *DeferMove) check(*play) *Refusal { return nil }

func (d *DeferMove) apply(*effect) {}
