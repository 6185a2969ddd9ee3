package plan

import "github.com/git-liza/git-liza/flow"

// A Code is the name of a check. Where entering the task would be refused too it is
// the name of the rule that refuses.
type Code string

// The codes.
const (
	Form       = Code(flow.RuleForm)
	Text       = Code(flow.RuleText)
	Limit      = Code(flow.RuleLimit)
	Incomplete = Code(flow.RuleIncomplete)
	Exists     = Code(flow.RuleExists)
	NotFound   = Code(flow.RuleNotFound)
	Cycle      = Code(flow.RuleCycle)
	Spec       = Code(flow.RuleSpec)
	Ownership  = Code(flow.RuleOwnership)
	Path       = Code(flow.RulePath)
	Verify     = Code(flow.RuleVerify)
	Level      = Code(flow.RuleLevel)
	File       = Code(flow.RuleFile)
	Consumer   = Code(flow.RuleConsumer)

	Total      Code = "total"
	Estimate   Code = "estimate"
	Orphan     Code = "orphan"
	Bottleneck Code = "bottleneck"
	Case       Code = "case"
)
