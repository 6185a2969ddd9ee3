package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore/git"
)

// contractsCommands show the contracts and skills of agents, and install them
// in a project for sessions that no supervisor starts.
type contractsCommands struct {
	List      contractsListCommand      `cmd:"" help:"The documents, a line each."`
	Show      contractsShowCommand      `cmd:"" help:"Print a document or skill."`
	Install   contractsInstallCommand   `cmd:"" help:"Write documents and skills into the work tree and point CLAUDE.md, AGENTS.md and GEMINI.md at them."`
	Uninstall contractsUninstallCommand `cmd:"" help:"Take out what install wrote, unless somebody changed it since."`
	Canary    contractsCanaryCommand    `cmd:"" help:"Check that a session has loaded the contract."`
}

type contractsListCommand struct{}

func (c *contractsListCommand) Run(inv *invocation) error {
	type document struct {
		Name  string `json:"name"`
		Path  string `json:"path"`
		About string `json:"about"`
	}
	var text strings.Builder
	list := lists.Of(contracts.Names(), func(path string) document { return document{contracts.Title(path), path, contracts.About(path)} })
	list = append(list, lists.Of(extensionSkills(inv), func(one skill) document { return document{one.name, one.path, contracts.AboutText(one.text)} })...)
	for _, d := range list {
		fmt.Fprintf(&text, "%-20s %s\n", plaintext.Line(d.Name), plaintext.Line(d.About))
	}
	return inv.answer("", map[string]any{"documents": list}, text.String())
}

type contractsShowCommand struct {
	Name string `arg:"" help:"As list names it: CORE, coder, liza-testing."`
}

func (c *contractsShowCommand) Run(inv *invocation) error {
	path, ok := contracts.Find(c.Name)
	if !ok {
		if one := lists.Find(extensionSkills(inv), func(s skill) bool { return s.name == c.Name }); one != nil {
			return inv.answer("", map[string]any{"name": one.name, "path": one.path, "text": one.text}, one.text)
		}
		return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza contracts list", Reason: "there is no document " + c.Name}
	}
	text, _ := contracts.Document(path)
	return inv.answer("", map[string]any{"name": contracts.Title(path), "path": path, "text": text}, text)
}

type contractsInstallCommand struct {
	Dir       string   `placeholder:"PATH" help:"Folder of the documents; default .liza/contracts, or where they are."`
	SkillsFor []string `placeholder:"TOOL" help:"Tools that get the skills: claude, codex, gemini, opencode; default the first three, or as last time."`
	Force     bool     `help:"Replace what was changed by hand, and keep a copy beside it."`
}

func (c *contractsInstallCommand) Run(inv *invocation) error {
	top, err := contractsFolder(inv)
	if err != nil {
		return err
	}
	target := contracts.Target{Dir: strings.TrimSuffix(c.Dir, "/"), Tools: c.SkillsFor, Skills: skillTexts(inv)}
	if err := target.Check(); err != nil {
		return usagef("git liza contracts install --help", "%v", err)
	}
	r, err := contracts.Install(top, target, c.Force)
	if err != nil {
		return contractsError(err)
	}
	if err := contractsKept(r, "git liza contracts install --force"); err != nil {
		return err
	}
	text := fmt.Sprintf("contracts are in %s; nothing is committed", r.Target.Dir)
	if !r.Changed() {
		text = fmt.Sprintf("contracts are in %s already", r.Target.Dir)
	}
	return inv.answer(madeOutcome(!r.Changed()), contractsData(r), contractsText(r)+text)
}

type contractsUninstallCommand struct{}

func (c *contractsUninstallCommand) Run(inv *invocation) error {
	top, err := contractsFolder(inv)
	if err != nil {
		return err
	}
	r, err := contracts.Uninstall(top)
	if err != nil {
		return contractsError(err)
	}
	if err := contractsKept(r, "git liza contracts install --force && git liza contracts uninstall"); err != nil {
		return err
	}
	text := "the contracts are taken out; nothing is committed"
	if !r.Changed() {
		text = "no contracts are installed here"
	}
	return inv.answer(madeOutcome(!r.Changed()), contractsData(r), contractsText(r)+text)
}

// contractsFinding returns doctor's finding about the contracts that are installed in a work
// tree; ok is false where none are.
func contractsFinding(inv *invocation, dir string) (found work.Finding, ok bool) {
	r, err := contracts.Examine(dir, skillTexts(inv))
	if err != nil {
		f := classify(contractsError(err))
		return work.Finding{Check: "contracts", State: "warn", Text: f.reason, Hint: f.hint}, true
	}
	if !r.Installed {
		return found, false
	}
	text := strings.Split(strings.TrimSuffix(contractsText(r), "\n"), "\n")
	if text[0] == "" {
		return work.Finding{Check: "contracts", State: "ok", Text: "installed in " + r.Target.Dir}, true
	}
	return work.Finding{Check: "contracts", State: "warn", Text: strings.Join(text, "; "), Hint: "git liza contracts install"}, true
}

type contractsCanaryCommand struct {
	Answer string `arg:"" optional:"" placeholder:"FILE" help:"What the session answered, - for standard input; without it the canary is printed."`
	Ask    bool   `help:"Print the question for the session instead."`
}

func (c *contractsCanaryCommand) Run(inv *invocation) error {
	if c.Ask {
		return inv.answer("", map[string]any{"question": contracts.CanaryQuestion}, contracts.CanaryQuestion)
	}
	data := map[string]any{"canary": contracts.Canary()}
	if c.Answer == "" {
		return inv.answer("", data, contracts.Canary())
	}
	text, err := inv.readInput(c.Answer)
	if err != nil {
		return err
	}
	switch found := contracts.FindCanary(string(text)); found {
	case contracts.Canary():
		return inv.answer("", data, "the session has loaded this edition of the contract")
	case "":
		return &flow.Refusal{Rule: flow.RuleCanary, Hint: "git liza doctor",
			Reason: "the answer does not quote the canary: the session has not loaded CORE"}
	default:
		return &flow.Refusal{Rule: flow.RuleCanary, Hint: "git liza contracts install",
			Reason: "the answer quotes " + found + ", the canary of another edition than " + contracts.Canary()}
	}
}

// contractsFolder returns the work tree in which a human may install contracts.
// Agents follow contracts and do not write them.
func contractsFolder(inv *invocation) (string, error) {
	repo, err := openWorkTree(inv)
	if err != nil {
		return "", err
	}
	by, _, err := inv.actor(repo)
	if err != nil {
		return "", err
	}
	if !by.IsHuman() {
		return "", &flow.Refusal{Rule: flow.RuleRole, Hint: "git liza doctor", Reason: fmt.Sprintf("contracts are installed by humans, not by %s", by)}
	}
	return repo.WorkTree(), nil
}

// openWorkTree opens a repository that has a work tree. The repository needs
// no blackboard.
func openWorkTree(inv *invocation) (*git.Repo, error) {
	repo, err := git.Open(inv.ctx, inv.dir)
	if err == nil && repo.WorkTree() == "" {
		return nil, &partial{failure{exitFailed, "failed", flow.RuleBare, "contracts are installed in a work tree, and there is none here", cloneBare, nil}, nil}
	}
	return repo, err
}

// contractsKept returns the failure that lists the files which stayed as they
// were, or nil if there are none.
func contractsKept(r contracts.Report, force string) error {
	kept := r.Kept()
	if len(kept) == 0 {
		return nil
	}
	f := failure{code: exitRefused, outcome: "refused", rule: flow.RuleKept, hint: force,
		reason: fmt.Sprintf("%s kept as found:", view.Count(len(kept), "file"))}
	for _, e := range kept {
		f.reason += fmt.Sprintf("\n%s %s", e.Path, contractsStates[e.State])
		if e.State == contracts.Barred {
			f.reason += ": " + e.Reason
		}
	}
	if barred := kept[0]; barred.State == contracts.Barred {
		f.hint = "ls -l " + barred.Path
	}
	return &partial{f, contractsData(r)}
}

// contractsStates describes each state of a file.
var contractsStates = map[contracts.State]string{
	contracts.Current:  "is current",
	contracts.Outdated: "is of an older version of git liza",
	contracts.Newer:    "is of a newer version of git liza",
	contracts.Changed:  "was changed by hand",
	contracts.Missing:  "is missing",
	contracts.Foreign:  "was not installed by git liza",
	contracts.Barred:   "cannot be changed",
	contracts.Obsolete: "is not wanted any more",
}

// contractsText has a line for each file that was changed or is not current.
func contractsText(r contracts.Report) string {
	var b strings.Builder
	for _, e := range r.Entries {
		what := e.Path
		if !strings.Contains(what, "/") {
			what = "the block in " + what
		}
		switch {
		case e.Copy != "":
			fmt.Fprintf(&b, "%s %s, what stood there is in %s\n", e.Done, what, e.Copy)
		case e.Done != "":
			fmt.Fprintf(&b, "%s %s\n", e.Done, what)
		case e.Reason != "":
			fmt.Fprintf(&b, "%s %s: %s\n", e.Path, contractsStates[e.State], e.Reason)
		case e.State != contracts.Current:
			fmt.Fprintf(&b, "%s %s\n", e.Path, contractsStates[e.State])
		}
	}
	return b.String()
}

func contractsData(r contracts.Report) map[string]any {
	return map[string]any{"installed": r.Installed, "dir": r.Target.Dir, "skills_for": r.Target.Tools, "files": append([]contracts.Entry{}, r.Entries...)}
}

// contractsError adds a hint to an error that the user can correct.
func contractsError(err error) error {
	if _, is := errors.AsType[*contracts.Unreadable](err); is {
		return &flow.Refusal{Rule: flow.RuleForm, Hint: fmt.Sprintf("mv %[1]s %[1]s.old && git liza contracts install", contracts.Manifest), Reason: err.Error() + ", so nobody knows what was installed"}
	}
	return err
}
