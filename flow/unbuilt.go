package flow

// unbuilt refuses fields and acts of the rules in the making that only their form
// exists of.
func unbuilt(p *play) *Refusal {
	var set bool
	switch d := p.move.Detail.(type) {
	case *BlockMove:
		set = d.To != "" || d.Saved != nil
	case *ApproveMove:
		set = d.For != nil || len(d.Texts) > 0
	case *RejectMove:
		set = d.For != nil
	case *AdoptMove:
		set = len(d.Reverts) > 0
	case *SprintStartMove:
		set = d.Sprint != ""
	case *SprintCloseMove:
		set = d.Sprint != ""
	case *CheckpointMove:
		set = d.Cause != 0 || d.Since != ""
	case *DecideMove:
		set = d.Checkpoint != "" || len(d.Tasks) > 0
	case *AlignMove:
		set = d.Answers != ""
	case *RetroMove:
		set = len(d.Gaps)+len(d.Contracts)+len(d.Actions) > 0
	case *TripMove:
		set = d.Watermark != 0 || len(d.Patterns)+len(d.Records)+len(d.Artifacts) > 0
	case *ResetMove:
		set = d.Upto != 0
	case *PrincipalMove:
		set = len(d.Principal.Accounts) > 0
	case *LiftMove, *MarkMove, *DeferMove, *ForkMove:
		set = true
	}
	if !set && !revertsWork(p.move.Detail) {
		return nil
	}
	return refuse(RuleState, "git liza version", "not in this version")
}

// revertsWork reports whether a move describes tasks that take work back.
func revertsWork(d Detail) bool {
	var list []TaskInput
	switch d := d.(type) {
	case *AddMove:
		list = d.Tasks
	case *ImportMove:
		list = d.Tasks
	case *SupersedeMove:
		list = d.Add
	case *ConvertMove:
		list = []TaskInput{d.Input}
	case *EditMove:
		list = []TaskInput{d.Input}
	}
	for _, in := range list {
		if len(in.Reverts) > 0 || in.Reopens != "" {
			return true
		}
	}
	return false
}
