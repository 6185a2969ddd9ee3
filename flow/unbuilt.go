package flow

// unbuilt refuses fields and acts of the rules in the making that only their form
// exists of.
func unbuilt(p *play) *Refusal {
	var set bool
	switch d := p.move.Detail.(type) {
	case *TripMove:
		set = d.Watermark != 0 || len(d.Patterns)+len(d.Records)+len(d.Artifacts) > 0
	case *ResetMove:
		set = d.Upto != 0
	case *ForkMove:
		set = true
	}
	if !set {
		return nil
	}
	return refuse(RuleState, "git liza version", "not in this version")
}
