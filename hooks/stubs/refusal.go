package stubs

// A Refusal says why hooks are not installed, or stay out of force. Nothing that
// counts was changed.
type Refusal struct {
	Rule   Rule // one of the constants below
	Reason string
	Hint   string // a command to type
}

// Error says why.
func (r *Refusal) Error() string { return r.Reason }

// A Rule is the name of what keeps hooks from being installed.
type Rule string

// The rules of installing.
const (
	RuleNotBare   Rule = "not_bare"        // hooks of a server stand in a bare repository
	RuleBare      Rule = "bare"            // those of a clone in one with a work tree
	RuleInstalled Rule = "hooks_installed" // a repository has hooks of one kind
	RuleHook      Rule = "hook"            // the name of a hook belongs to a file
	RulePath      Rule = "hooks_path"      // git looks for its hooks where they were installed
)
