package stubs

// A Refusal says why hooks are not installed or do not come into force. Nothing that
// has an effect was changed.
type Refusal struct {
	Rule   Rule // one of the constants below
	Reason string
	Hint   string // a command to type
}

// Error says why.
func (r *Refusal) Error() string { return r.Reason }

// A Rule is the name of a reason not to install hooks.
type Rule string

// The rules of installing.
const (
	RuleNotBare   Rule = "not_bare"        // hooks of a server need a bare repository
	RuleBare      Rule = "bare"            // hooks of a clone need a work tree
	RuleInstalled Rule = "hooks_installed" // a repository has hooks of one kind
	RuleHook      Rule = "hook"            // the name of a hook belongs to another file
	RulePath      Rule = "hooks_path"      // git has to look for its hooks where they are installed
)
