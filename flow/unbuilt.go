package flow

// unbuilt refuses fields and acts of the rules in the making that only their form
// exists of.
func unbuilt(p *play) *Refusal {
	var set bool
	switch p.move.Detail.(type) {
	case *ForkMove:
		set = true
	}
	if !set {
		return nil
	}
	return refuse(RuleState, "git liza version", "not in this version")
}
