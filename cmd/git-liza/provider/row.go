package provider

import "github.com/git-liza/git-liza/flow"

// A Row says everything about a program that agents can be. Arguments and
// values may hold the placeholders {model}, {session}, {dir} (the worktree) and
// {common} (the repository's own folder).
type Row struct {
	Name    string   `yaml:"name"`
	About   string   `yaml:"about"`
	Binary  string   `yaml:"binary"`  // looked up in PATH
	Install string   `yaml:"install"` // the command that brings it
	Version []string `yaml:"version"` // arguments with which it prints its version
	Minimum string   `yaml:"minimum"` // the oldest version that these arguments are right for

	Args    []string `yaml:"args"`    // of every session
	Model   []string `yaml:"model"`   // where a model is chosen
	Roles   PerRole  `yaml:"roles"`   // permissions
	Session []string `yaml:"session"` // where the provider lets us choose the session's id
	Resume  []string `yaml:"resume"`  // where a session goes on

	Env    []string `yaml:"env"`     // the variables that it may see; NAME* is all that begin so
	EnvSet []string `yaml:"env_set"` // NAME=VALUE for every role
	EnvFor PerRole  `yaml:"env_for"` // NAME=VALUE for one role

	Output   string   `yaml:"output"`   // the family of its output, as in package transcript
	ACP      bool     `yaml:"acp"`      // it is spoken to by the Agent Client Protocol
	Usage    Usage    `yaml:"usage"`    // what its numbers of usage count
	Commit   Commit   `yaml:"commit"`   // who commits and reports
	Contract Contract `yaml:"contract"` // how well it keeps the contracts

	ReviewerReadonly bool `yaml:"reviewer_readonly"` // its own means keep a reviewer from writing

	Quota  string `yaml:"quota"`  // what it says when the quota is used up, a regular expression
	Outage string `yaml:"outage"` // what it says when its service is down
	Login  string `yaml:"login"`  // what it says when nobody is logged in
}

// PerRole is a list of words for each role.
type PerRole struct {
	Planner      []string `yaml:"planner"`
	Coder        []string `yaml:"coder"`
	CodeReviewer []string `yaml:"code-reviewer"`
}

// For is the list of a role.
func (p PerRole) For(role flow.Role) []string {
	switch role {
	case flow.Planner:
		return p.Planner
	case flow.Coder:
		return p.Coder
	case flow.CodeReviewer:
		return p.CodeReviewer
	}
	return nil
}

// Usage says what the usage that a program reports counts.
type Usage string

// The kinds of usage.
const (
	PerRun     Usage = "run"     // this run
	PerSession Usage = "session" // everything since the session began, runs before this one too
)

// Commit says who commits the work and makes the moves that report it.
type Commit string

// Who commits.
const (
	ByAgent      Commit = "agent"
	BySupervisor Commit = "supervisor" // what the agent's last message says is reported for it
)

// Contract is how well a program has been seen to keep the contracts.
type Contract string

// The classes.
const (
	Full    Contract = "full"
	Partial Contract = "partial"
	Unknown Contract = "unknown"
)
