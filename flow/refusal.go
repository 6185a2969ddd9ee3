package flow

import (
	"errors"
	"fmt"
	"slices"
)

// A Rule is the name of the rule that refused a move. Scripts compare these
// names.
type Rule string

// The rules, each with what it protects.
const (
	RuleNotFound     Rule = "not_found"         // the thing that a move names is on the board
	RuleExists       Rule = "exists"            // ids are unique, ignoring case
	RuleState        Rule = "wrong_state"       // the act leads out of the task's state
	RuleFinal        Rule = "final"             // nothing leaves a final state
	RuleRole         Rule = "not_allowed"       // the act is for other roles
	RuleSupervisor   Rule = "supervisor_only"   // a spawned agent does not steer itself
	RuleStale        Rule = "stale_caller"      // a fenced generation does not act
	RuleHolder       Rule = "not_holder"        // only the holder of a claim or review acts on it
	RuleControl      Rule = "control"           // no claims while paused, in checkpoint or stopped
	RuleDependencies Rule = "dependencies"      // work starts when what it needs is merged
	RuleOwnership    Rule = "ownership"         // two tasks do not write the same paths at once
	RuleLease        Rule = "lease"             // a live lease excludes others, and ends
	RuleOneClaim     Rule = "one_claim"         // an agent works on one task
	RuleReserved     Rule = "reserved"          // a failed merge waits for its coder first
	RuleResting      Rule = "resting"           // an agent that rests gets no work
	RuleExhausted    Rule = "exhausted"         // a task that several coders failed is rescoped, not retried
	RuleIncomplete   Rule = "incomplete"        // a task says what, when done, where specified
	RuleSpec         Rule = "spec"              // the spec exists at the integration tip
	RuleCycle        Rule = "cycle"             // dependencies form no cycle
	RuleText         Rule = "text"              // texts are present, short and clean
	RulePath         Rule = "path"              // a changed file has a name that a document can hold
	RuleLimit        Rule = "limit"             // lists, documents and moves are bounded
	RuleForm         Rule = "form"              // a field has the form that its act needs
	RuleIntent       Rule = "intent"            // a coder says what it will do before it commits
	RuleAncestry     Rule = "ancestry"          // work builds on its claim's base
	RuleEmpty        Rule = "empty"             // a submission changes something
	RuleUnchanged    Rule = "unchanged"         // a rejected submission comes back changed
	RuleScope        Rule = "scope"             // a submission stays inside its paths
	RuleRolePaths    Rule = "role_paths"        // a role writes only its paths
	RuleTests        Rule = "tests"             // code changes come with tests
	RuleContent      Rule = "content"           // no new submodules, none at a commit that no remote has, no links out of the tree, no huge blobs
	RuleVerify       Rule = "verify"            // the task's verify passed at this commit
	RuleGate         Rule = "gate"              // every required gate passed on the merged tree
	RuleCommit       Rule = "commit"            // a verdict or merge names exactly the submitted commit
	RuleSelfReview   Rule = "self_review"       // nobody judges what they coded
	RuleDoubt        Rule = "doubt"             // people judge and merge what a session worked on that killed its guard, or changed a seal
	RuleReason       Rule = "structured_reason" // a rejection names at least one blocker
	RulePrior        Rule = "prior_feedback"    // a later rejection answers for every earlier blocker
	RuleMerge        Rule = "merge"             // a merge is what git computes from its two parents
	RuleTip          Rule = "integration_tip"   // a merge builds on the tip that the board names
	RuleDependants   Rule = "dependants"        // no task is abandoned while others need it
	RuleDepth        Rule = "supersede_depth"   // after two rescopes a human decides
	RuleHeld         Rule = "held"              // an id that holds work is not replaced or removed
	RuleDecision     Rule = "decision"          // a checkpoint ends with a decision
	RuleBreaker      Rule = "breaker"           // a tripped breaker is reset before work continues
	RuleOpen         Rule = "open_tasks"        // a goal or sprint completes when its tasks are final
	RuleSprint       Rule = "sprint"            // one sprint is open at a time
	RuleProtected    Rule = "protected"         // amend does not touch what the other acts guard
	RuleAdmin        Rule = "admin"             // the right admin where principals exist
	RulePrincipal    Rule = "principal"         // every principal is known, and acts only as agents and humans that it may
	RuleFormat       Rule = "format"            // a board is judged by the format that it names
	RuleTime         Rule = "time"              // time on the board does not run backwards
	RuleSignature    Rule = "signature"         // a signed move is signed by a key of its principal, and is not repeated
	RuleFact         Rule = "fact"              // a move records what git says
	RuleInvariant    Rule = "invariant"         // no move leaves an inconsistent board
	RuleBudget       Rule = "budget"            // no session begins on a spent budget
	RuleNothing      Rule = "nothing_claimable" // there is work for this agent
	RuleIdentity     Rule = "identity"          // inside a task's worktree every caller names itself
	RuleTracked      Rule = "tracked_path"      // what was approved is what reaches a tracked path
	RuleSpecChanged  Rule = "spec_changed"      // a verdict was given for the texts that the board has
	RuleNotHuman     Rule = "not_human"         // some roles are no person's
	RuleNeeds        Rule = "needs"             // a submission is judged by the roles that its rules ask for
	RuleGoal         Rule = "goal"              // a move on a goal names it, and it is open
	RuleFinding      Rule = "finding"           // a strict judge points to a line that is there
	RuleDue          Rule = "due"               // an automatic move is made when what it judges is so
	RuleLevel        Rule = "level"             // work of a level begins when the levels below have passed
	RuleBackoff      Rule = "backoff"           // agents wait before they try again what failed
	RulePressure     Rule = "pressure"          // where much fails, less is tried at once
	RuleVouch        Rule = "vouch"             // a verdict from a code host is the word of a person with that right
	RulePhase        Rule = "phase"             // a task is worked on in its phase
	RuleArtifact     Rule = "artifact"          // an artifact is as its type asks, and a phase ends when its own are approved
	RuleWorkflow     Rule = "workflow"          // a goal can be worked on by its workflow
	RuleFrozen       Rule = "frozen"            // a frozen artifact stays as it is
	RuleClass        Rule = "class"             // agents leave alone what is not for them
	RuleParallel     Rule = "parallel"          // a goal has no more claims at once than its workflow allows
	RuleAskDepth     Rule = "depth"             // few questions wait for each other
	RuleCircle       Rule = "circle"            // nobody waits for its own answer
	RuleSecret       Rule = "secret"            // keys and tokens are not written to the board
)

// A Refusal says that the rules do not allow a move: the rule, the reason, and
// a command to type next. The board does not change.
type Refusal struct {
	Rule   Rule
	Reason string
	Hint   string
	Faults []Fault // of a move with a list of tasks: one each, at most [MaxFaults]; nil for other moves
}

// Error is the reason with the rule's name.
func (r *Refusal) Error() string { return fmt.Sprintf("%s (%s)", r.Reason, r.Rule) }

// firstRefusal judges the elements of a list in their order, up to the first that is
// refused.
func firstRefusal[T any](list []T, judge func(T) *Refusal) *Refusal {
	for _, one := range list {
		if r := judge(one); r != nil {
			return r
		}
	}
	return nil
}

// IsRefused reports whether an error is, or wraps, a Refusal, by one of the rules if some are
// named.
func IsRefused(err error, by ...Rule) bool {
	r, is := errors.AsType[*Refusal](err)
	return is && (len(by) == 0 || slices.Contains(by, r.Rule))
}

// refuse makes a Refusal, so that a guard has one line.
func refuse(rule Rule, hint, reason string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Reason: fmt.Sprintf(reason, args...), Hint: hint}
}
