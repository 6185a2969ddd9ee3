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

// A CodeName is a code with what it is about, in one line.
type CodeName struct {
	Code    Code
	Meaning string
}

// Codes are all codes.
var Codes = []CodeName{
	{Form, "the file can be read: syntax, keys, the form of each value"},
	{Text, "texts are short"},
	{Limit, "tasks, lists and path patterns are bounded, and so are the texts of a task together: 128 KiB"},
	{Incomplete, "a task that is not a draft has title, done_when, spec and scope"},
	{Exists, "ids are unique, ignoring case"},
	{NotFound, "what a task or the table of levels names is in the plan or on the board"},
	{Cycle, "no task needs itself, directly or not"},
	{Spec, "the file of a spec is in the tree"},
	{Ownership, "of two tasks that write one path, one depends on the other"},
	{Path, "a path leads to a file in the repository, not through .git, a file or a link"},
	{Verify, "a task is verified by a program that is installed here; none at all is a warning"},
	{Level, "a task depends on lower or equal levels, levels of plan and board have no gap, and the table says the same"},
	{File, "what is created is not there, and what is changed or read is; over 10 files are a warning"},
	{Consumer, "a consumer depends on what it consumes, and an integration_test covers both"},
	{Total, "numbers that the file says of all tasks are those of its tasks"},
	{Estimate, "warning: an estimate is over two hours"},
	{Orphan, "warning: a task that needs none and that none needs"},
	{Bottleneck, "warning: one task that all others wait for"},
	{Case, "warning: two paths that are one where names ignore case"},
}
