package provider

import (
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/flow"
)

// A Row says everything about a program that agents can be.
//
// Arguments and values of variables may hold {model}, {session}, {dir} (the
// worktree), {common} (the repository's own folder), {gitdir} (the worktree's
// own part of it) and {files} (the folder with Files). In quotes, {"common"} and
// {"common/hooks"} are such a path as a string of JSON and of TOML.
//
// Ledger are patterns of file names, of which the first that matches counts; ~ is
// HOME, {NAME} a variable, {session} the session's id and {session8} the first
// eight characters of it. Tokens and Cost say what follows with it.
type Row struct {
	Name    string   `yaml:"name"`
	About   string   `yaml:"about"`
	Binary  string   `yaml:"binary"`  // looked up in PATH
	Install string   `yaml:"install"` // the command that brings it
	Version []string `yaml:"version"` // arguments with which it prints its version
	Minimum string   `yaml:"minimum"` // the oldest version that was seen to work as the row says

	Args      []string          `yaml:"args"`       // of every session
	Model     string            `yaml:"model"`      // which to use, "" is the program's own choice
	ModelArgs []string          `yaml:"model_args"` // where one is chosen
	Roles     PerRole           `yaml:"roles"`      // permissions
	Session   []string          `yaml:"session"`    // where we may choose the session's id, a UUID
	Resume    []string          `yaml:"resume"`     // where a session goes on; none if it cannot
	Files     map[string]string `yaml:"files"`      // what Args speak of, by name

	Env    []string `yaml:"env"`     // the variables that it may see; NAME* is all that begin so
	EnvSet []string `yaml:"env_set"` // NAME=VALUE for every role; those with {model} only where one is chosen
	EnvFor PerRole  `yaml:"env_for"` // NAME=VALUE for one role

	Keys       []string `yaml:"keys"`        // variables one of which it needs, unless somebody is logged in
	LoginArgs  []string `yaml:"login_args"`  // arguments with which it logs somebody in, if they are known
	LoginFiles []string `yaml:"login_files"` // one of which is there when somebody is; ~ is HOME, {NAME} a variable

	Output   string   `yaml:"output"`   // the family of its output, as in package transcript
	ACP      bool     `yaml:"acp"`      // it is spoken to by the Agent Client Protocol
	Usage    Usage    `yaml:"usage"`    // what its numbers of usage count
	Tokens   Count    `yaml:"tokens"`   // when it says how many it has used
	Cost     Count    `yaml:"cost"`     // when it says what that costs, in dollars
	Ledger   []string `yaml:"ledger"`   // files, one of which it keeps of a session, counted call by call; see below
	Commit   Commit   `yaml:"commit"`   // who commits and reports
	Contract Contract `yaml:"contract"` // how well it keeps the contracts

	ReviewerReadonly bool `yaml:"reviewer_readonly"` // nothing that a reviewer runs can write its worktree

	// What it says when its quota is used up, when its service is down and when
	// nobody is logged in: regular expressions, see [Row.Trouble].
	Quota  string `yaml:"quota"`
	Outage string `yaml:"outage"`
	Login  string `yaml:"login"`
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

// Usage says what the usage counts that a program reports.
type Usage string

// The kinds of usage.
const (
	PerRun         Usage = "run"     // this run
	PerSession     Usage = "session" // everything since the session began, runs before this one too
	CostPerSession Usage = "cost"    // tokens of this run, cost since the session began
)

// A Count says when a program tells what it uses, in its records or its ledger.
type Count string

// When programs tell what they use.
const (
	CountsCalls Count = "calls" // after each call of its model
	CountsEnd   Count = "end"   // when it ends by itself, nothing if it is killed
	CountsNever Count = "never"
	CountsFree  Count = "free" // it uses none
)

// Since is the report of a session that went on, without what the last report
// before it had counted already.
func (u Usage) Since(r transcript.Report, before flow.Usage) transcript.Report {
	switch u {
	case PerSession:
		return r.Minus(before)
	case CostPerSession:
		return r.Minus(flow.Usage{Cost: before.Cost})
	}
	return r
}

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

// command reports whether people name a command with it, as in exec:COMMAND.
func (r Row) command() bool { return r.Name == "exec" || r.Name == "acp" }

// fixed reports whether a row says nothing about a program of its own.
func (r Row) fixed() bool { return r.command() || r.Name == "script" }

// choosable reports whether the row says how a model is chosen.
func (r Row) choosable() bool {
	return r.ACP || len(r.ModelArgs) > 0 || mentionsModel(r.EnvSet) || mentionsModel(r.EnvFor.Coder)
}
