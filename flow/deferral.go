package flow

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// DeferMove puts a discovery off.
type DeferMove struct {
	Record board.RecordID `yaml:"record"`
	Until  time.Time      `yaml:"until"`
	Reason string         `yaml:"reason"`
}

func (d *DeferMove) subject() string { return string(d.Record) }

// discovery is the discovery that is put off, nil if there is none.
func (d *DeferMove) discovery(p *play) *board.Discovery {
	found, _ := p.board.Load(board.Key{Folder: board.Discovered, ID: string(d.Record)}).(*board.Discovery)
	return found
}

func (d *DeferMove) already(p *play) bool {
	found := d.discovery(p)
	if found == nil || found.Deferred == nil {
		return false
	}
	was := found.Deferred
	return was.Until.Equal(d.Until) && was.Reason == d.Reason && was.By == p.move.By
}

// longestDeferral is how long a discovery can be put off at once.
const longestDeferral = 90 * 24 * time.Hour

func (d *DeferMove) check(p *play) *Refusal {
	hint := "git liza record defer " + string(d.Record) + " --until 3d --reason R"
	found := d.discovery(p)
	switch {
	case found == nil:
		return refuse(RuleNotFound, "git liza record list discoveries --all", "there is no discovery %s", board.Clip(string(d.Record)))
	case found.Converted != "":
		return refuse(RuleState, "git liza show "+string(found.Converted), "%s has become %s", found.ID, found.Converted)
	case found.Dismissed != nil || found.Archived:
		return refuse(RuleState, "git liza record list --all", "%s needs nobody's attention any more", found.ID)
	case !d.Until.After(p.move.At) || d.Until.After(p.move.At.Add(longestDeferral)):
		return refuse(RuleForm, hint, "a discovery is put off to a later time, within 90 days")
	}
	return present("the reason", d.Reason, hint)
}

func (d *DeferMove) apply(p *effect) {
	found := *d.discovery(p.play)
	found.Deferred = &board.Deferral{Until: d.Until, Reason: d.Reason, By: p.move.By, At: p.move.At}
	p.put(board.Key{Folder: board.Discovered, ID: string(d.Record)}, &found)
}
