package flow

// unbuilt refuses an act of the rules in the making, of which only the row and
// the fields exist.
func unbuilt() *Refusal { return refuse(RuleState, "git liza version", "not in this version") }
