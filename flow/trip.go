package flow

import (
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
)

// TripMove trips the circuit breaker, which puts the board into a checkpoint.
type TripMove struct {
	Pattern  string   `yaml:"pattern"`
	Severity string   `yaml:"severity"`
	Evidence []string `yaml:"evidence"`
	Report   string   `yaml:"report"`

	Watermark int              `yaml:"watermark"` // of the breaker when it was judged
	Patterns  []string         `yaml:"patterns"`  // all that matched
	Records   []board.RecordID `yaml:"records"`   // anomalies that form them
	Artifacts []string         `yaml:"artifacts"` // specs and paths that they are about
}

// already lets the second of two that judged the same records find the breaker
// tripped, or reset since.
func (t *TripMove) already(p *play) bool {
	b := p.board.Breaker()
	return b.Watermark > t.Watermark || b.Tripped && b.Watermark == t.Watermark
}

func (t *TripMove) check(p *play) *Refusal {
	if p.board.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza board breaker reset --resolution R", "the circuit breaker is tripped already (%s)", p.board.Breaker().Pattern)
	}
	if r := present("the pattern", t.Pattern, "git liza status"); r != nil {
		return r
	}
	known := board.BreakerPatterns()
	for i, name := range t.Patterns {
		if !slices.Contains(known, name) || slices.Contains(t.Patterns[:i], name) {
			return refuse(RuleForm, showBreaker, "%q is no pattern of the circuit breaker, or it is named twice; there are %s", board.Clip(name), strings.Join(known, ", "))
		}
	}
	switch {
	case !slices.Contains(t.Patterns, t.Pattern):
		return refuse(RuleForm, showBreaker, "%q is not among the patterns that the trip names", board.Clip(t.Pattern))
	case !slices.Contains(board.BreakerSeverities(), t.Severity):
		return refuse(RuleForm, showBreaker, "%q is no severity of the circuit breaker; there are %s", board.Clip(t.Severity), strings.Join(board.BreakerSeverities(), ", "))
	}
	return t.checkRecords(p)
}

// checkRecords refuses a trip that names no anomalies, or that was judged from another
// reset on than the last one.
func (t *TripMove) checkRecords(p *play) *Refusal {
	if len(t.Records) == 0 {
		return refuse(RuleForm, showBreaker, "a trip names the anomalies that form its patterns")
	}
	newest := 0
	for i, id := range t.Records {
		if _, ok := p.board.Load(board.Key{Folder: board.Anomalies, ID: string(id)}).(*board.Anomaly); !ok || slices.Contains(t.Records[:i], id) {
			return refuse(RuleNotFound, "git liza record list anomalies --all", "there is no anomaly %s, or it is named twice", id)
		}
		newest = max(newest, id.Number())
	}
	switch now := p.board.Breaker().Watermark; {
	case t.Watermark != now:
		return refuse(RuleDue, showBreaker, "the circuit breaker was reset at record %d, the trip was judged from %d on", now, t.Watermark)
	case newest <= now:
		return refuse(RuleDue, showBreaker, "no record of the trip is newer than the reset (%d)", now)
	}
	return nil
}

// showBreaker is the hint of refusals about patterns and records.
const showBreaker = "git liza status"

func (t *TripMove) refs(_ Move, b *board.Board) []RefMove {
	if c := b.Settings().Control.State; c == board.Checkpoint || c == board.Stopped {
		return nil
	}
	return []RefMove{{Name: board.MarkRef(nextMark(b, "checkpoint")), State: true}}
}

func (t *TripMove) apply(p *effect) {
	b := p.board.Breaker()
	p.put(board.Key{Folder: board.BreakerDoc}, &board.Breaker{Tripped: true, Pattern: t.Pattern, Severity: t.Severity, Evidence: t.Evidence,
		Report: t.Report, By: p.move.By, At: p.move.At, Watermark: b.Watermark, Patterns: t.Patterns, Records: t.Records, Artifacts: t.Artifacts})
	switch c := p.board.Settings().Control; c.State {
	case board.Stopped:
		p.change(func(s *board.Settings) {
			s.Control.Before, s.Control.Decision = board.Checkpoint, ""
			s.Control.Message = ""
		})
		setSprintPhase(p, board.InCheckpoint)
	case board.Checkpoint:
		p.change(func(s *board.Settings) {
			s.Control.Decision = ""
			s.Control.Message = ""
		})
	default:
		(&CheckpointMove{Reason: "circuit breaker: " + t.Pattern}).apply(p)
	}
}

// ResetMove resets the circuit breaker; records that the person was shown are not
// judged again.
type ResetMove struct {
	Resolution string `yaml:"resolution"`
	Upto       int    `yaml:"upto"` // the highest record number that the person was shown
}

func tripped(p *play) *Refusal {
	if !p.board.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza status", "the circuit breaker is not tripped")
	}
	return nil
}

func (r *ResetMove) check(p *play) *Refusal {
	if r := present("the resolution", r.Resolution, "git liza board breaker reset --resolution R"); r != nil {
		return r
	}
	lowest, highest := p.board.Breaker().Watermark, p.board.Settings().Next.Record-1
	for _, id := range p.board.Breaker().Records {
		lowest = max(lowest, id.Number())
	}
	if r.Upto < lowest || r.Upto > highest {
		return refuse(RuleForm, showBreaker, "a reset covers the records up to %d at least, and up to %d at most, not up to %d", lowest, highest, r.Upto)
	}
	return nil
}

func (r *ResetMove) apply(p *effect) {
	b := p.board.Breaker()
	b.Tripped, b.Resolution, b.Watermark = false, r.Resolution, p.board.Settings().Next.Record-1
	b.Watermark = r.Upto
	p.put(board.Key{Folder: board.BreakerDoc}, &b)
}
