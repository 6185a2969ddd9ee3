package provider

import (
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/flow/board"
)

// A Row describes a program that can be an agent.
//
// Arguments and values of variables may contain {model}, {session}, {dir} (the
// worktree), {system} (the contract), {common} (the clone's git directory), {files} (the folder with Files),
// {tools} and {tools|} (the words of Tools that the role has, with commas or bars between
// them), {tools-} (with commas, without those that write). In quotes, {"common"} and {"common/hooks"} are such a path as a string of JSON
// and of TOML.
//
// Ledger is a list of patterns of file names. The first that matches counts. In a
// pattern, ~ is HOME, {NAME} a variable, {session} the session's id and {session8} its
// first eight characters. Tokens and Cost say what is counted with the ledger.
type Row struct {
	Name    string   `yaml:"name"`
	About   string   `yaml:"about"`
	Binary  string   `yaml:"binary"`  // looked up in PATH
	Install string   `yaml:"install"` // the command that installs it
	Version []string `yaml:"version"` // arguments with which it prints its version
	Minimum string   `yaml:"minimum"` // the oldest version that was seen to work as the row says

	Args      []string          `yaml:"args"`       // arguments of every session
	Model     string            `yaml:"model"`      // the model to use, "" is the program's own choice
	ModelArgs []string          `yaml:"model_args"` // arguments that choose a model
	Roles     PerRole           `yaml:"roles"`      // arguments with the permissions of a role
	Tools     Tools             `yaml:"tools"`      // the names of its tools, where an argument lists them: {tools}
	Web       []string          `yaml:"web"`        // arguments that let it read the web; none if it always may
	Session   []string          `yaml:"session"`    // arguments that choose the session's id, a UUID
	Resume    []string          `yaml:"resume"`     // arguments that resume a session; none if it cannot
	System    []string          `yaml:"system"`     // arguments that add the contract to its system prompt; none leaves it in the prompt
	Advice    string            `yaml:"advice"`     // what agents are told of the program in their prompts
	Files     map[string]string `yaml:"files"`      // the files that Args name, by their names

	Env    []string `yaml:"env"`     // the variables that it may see; NAME* is all that begin so
	EnvSet []string `yaml:"env_set"` // NAME=VALUE for every role; those with {model} only if one is chosen
	EnvFor PerRole  `yaml:"env_for"` // NAME=VALUE for one role

	Keys       []string `yaml:"keys"`        // variables, one of which it needs unless a user is logged in
	LoginArgs  []string `yaml:"login_args"`  // arguments with which a user logs in, if they are known
	LoginFiles []string `yaml:"login_files"` // files, one of which is there if a user is logged in; ~ is HOME, {NAME} a variable

	Confined []string `yaml:"confined"` // arguments of a session that the kernel confines, after those of its role: no sandbox of its own

	Folders []string `yaml:"folders"` // its own files and folders, which a container of it gets; ~ is HOME, {NAME} a variable

	// Loads are patterns, at any depth of a folder in which it is started, of what it obeys or
	// runs by itself: instructions, settings, hooks, commands. None says that this is not known.
	Loads []string `yaml:"loads"`

	Output   string   `yaml:"output"`   // the family of its output, as in package transcript
	ACP      bool     `yaml:"acp"`      // it speaks the Agent Client Protocol
	Usage    Usage    `yaml:"usage"`    // what its numbers of usage count
	Tokens   Count    `yaml:"tokens"`   // when it tells how many tokens it has used
	Cost     Count    `yaml:"cost"`     // when it tells what they cost, in dollars
	Ledger   []string `yaml:"ledger"`   // files in which it records each call of a session; see above
	Commit   Commit   `yaml:"commit"`   // whether the agent or its supervisor commits and reports
	Contract Contract `yaml:"contract"` // how well it keeps the contracts

	Windows []string `yaml:"windows"` // how many tokens contexts hold: MODEL=TOKENS, * in MODEL is any text; the first that fits counts
	Handoff string   `yaml:"handoff"` // a code with which it exits, beside 42, when its context is used up

	Ends EndsBy `yaml:"ends"` // how a session is ended at its move; "" if it ends by itself

	ReviewerReadonly bool `yaml:"reviewer_readonly"` // nothing that a reviewer runs can write its worktree

	// Regular expressions of its output when its quota is used up, when its service
	// is down and when no user is logged in, see [Row.FindTrouble].
	Quota  string `yaml:"quota"`
	Outage string `yaml:"outage"`
	Login  string `yaml:"login"`
}

// Usage says what the numbers count by which a program reports its usage.
type Usage string

// The kinds of usage.
const (
	PerRun         Usage = "run"     // this run
	PerSession     Usage = "session" // the whole session, with earlier runs
	CostPerSession Usage = "cost"    // tokens of this run, cost since the session began
)

// A Count says when a program tells what it has used, in its records or its ledger.
type Count string

// When programs tell what they use.
const (
	CountsCalls Count = "calls" // after each call of its model
	CountsEnd   Count = "end"   // when it ends by itself, nothing if it is killed
	CountsNever Count = "never"
	CountsFree  Count = "free" // it uses none
)

// Since is the report of a session that was resumed, without the usage that the report
// of the run before it had counted already.
func (u Usage) Since(r transcript.Report, before board.Usage) transcript.Report {
	switch u {
	case PerSession:
		return r.Minus(before)
	case CostPerSession:
		return r.Minus(board.Usage{Cost: before.Cost})
	}
	return r
}

// Commit says whether the agent or its supervisor commits the work and makes the moves
// that report it.
type Commit string

// The values of Commit.
const (
	ByAgent      Commit = "agent"
	BySupervisor Commit = "supervisor" // it reports what the agent's last message says
)

// EndsBy says how a session ends at once when its move was made, and without another call.
type EndsBy string

// The values of EndsBy. A command that made the move waits until the session is killed, if what it
// used is known by then; or it says [EndsHere] on standard error, at which the program stops.
const (
	EndsHeld EndsBy = "held"
	EndsTold EndsBy = "told"
)

// EndsHere is what a program of [EndsTold] stops at in the session of a generation.
func EndsHere(generation string) string { return "liza: session " + generation + " ends here" }

// Contract is how well a program has been seen to keep the contracts.
type Contract string

// The classes.
const (
	Full    Contract = "full"
	Partial Contract = "partial"
	Unknown Contract = "unknown"
)

// takesCommand reports whether people write a command after the name, as in
// exec:COMMAND.
func (r Row) takesCommand() bool { return r.Name == "exec" || r.Name == "acp" }

// ownCommand is the command of git-liza that the row runs, "" for other programs.
func (r Row) ownCommand() string {
	if r.Name == "script" || r.Name == "gates" {
		return r.Name + "-agent"
	}
	return ""
}

// RunsGates reports whether the program judges by the commands of the board and the task.
func (r Row) RunsGates() bool { return r.Name == "gates" }

// namesNoProgram reports whether a row is a way to run programs, and names no program.
func (r Row) namesNoProgram() bool { return r.takesCommand() || r.ownCommand() != "" }

// takesModel reports whether the row says how a model is chosen.
func (r Row) takesModel() bool {
	return r.ACP || len(r.ModelArgs) > 0 || mentionsModel(r.EnvSet) || mentionsModel(r.EnvFor.Coder)
}
