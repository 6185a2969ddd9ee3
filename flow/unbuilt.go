package flow

// unbuilt refuses acts of the rules in the making that only their form exists of.
func unbuilt(p *play) *Refusal {
	if _, fork := p.move.Detail.(*ForkMove); !fork {
		return nil
	}
	return refuse(RuleState, "git liza version", "not in this version")
}
