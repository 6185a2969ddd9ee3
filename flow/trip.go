package flow

// TripMove trips the circuit breaker, which puts the board into a checkpoint.
type TripMove struct {
	Pattern  string   `yaml:"pattern"`
	Severity string   `yaml:"severity"`
	Evidence []string `yaml:"evidence"`
	Report   string   `yaml:"report"`

	Watermark int        `yaml:"watermark,since=3"` // of the breaker when it was judged
	Patterns  []string   `yaml:"patterns,since=3"`  // all that matched
	Records   []RecordID `yaml:"records,since=3"`   // anomalies that form them
	Artifacts []string   `yaml:"artifacts,since=3"` // specs and paths that they are about
}

func (t *TripMove) already(*play) bool { return false }

func (t *TripMove) check(p *play) *Refusal {
	if p.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza breaker reset --resolution R", "the circuit breaker is tripped already (%s)", p.Breaker().Pattern)
	}
	return present("the pattern", t.Pattern, "git liza status")
}

func (t *TripMove) refs(_ Move, b *Board) []RefMove {
	if c := b.Settings().Control.State; c == Checkpoint || c == Stopped {
		return nil
	}
	return []RefMove{{Name: MarkRef(b.mark("checkpoint")), State: true}}
}

func (t *TripMove) apply(p *effect) {
	b := p.Breaker()
	p.put(Key{Folder: BreakerDoc}, &Breaker{Tripped: true, Pattern: t.Pattern, Severity: t.Severity, Evidence: t.Evidence,
		Report: t.Report, By: p.move.By, At: p.move.At, Watermark: b.Watermark})
	switch c := p.Settings().Control; c.State {
	case Stopped:
		p.change(func(s *Settings) { s.Control.Before, s.Control.Decision = Checkpoint, "" })
		p.sprintPhase(InCheckpoint)
	case Checkpoint:
		p.change(func(s *Settings) {
			s.Control.Decision = ""
			if p.HasRules(3) {
				s.Control.Message = ""
			}
		})
	default:
		(&CheckpointMove{Reason: "circuit breaker: " + t.Pattern}).apply(p)
	}
}

// ResetMove resets the circuit breaker; records from before are not judged
// again.
type ResetMove struct {
	Resolution string `yaml:"resolution"`
	Upto       int    `yaml:"upto,since=3"` // the highest record number that the person was shown
}

func tripped(p *play) *Refusal {
	if !p.Breaker().Tripped {
		return refuse(RuleBreaker, "git liza status", "the circuit breaker is not tripped")
	}
	return nil
}

func (r *ResetMove) check(*play) *Refusal {
	return present("the resolution", r.Resolution, "git liza breaker reset --resolution R")
}

func (r *ResetMove) apply(p *effect) {
	b := p.Breaker()
	b.Tripped, b.Resolution, b.Watermark = false, r.Resolution, p.Settings().Next.Record-1
	p.put(Key{Folder: BreakerDoc}, &b)
}
