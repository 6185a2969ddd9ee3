// Package faults makes boards on which one thing is wrong, by the commands that lead there.
// Tests of every view begin with the same ones: each view has to say the same sentence
// first, and the command that settles it.
package faults

import (
	"embed"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

//go:embed *.sh
var scripts embed.FS

// A Fault is one thing that can go wrong.
type Fault struct {
	Name  string // of its script
	Needs []Need // what views say first, in this order

	// Unreadable is true if the board cannot be read: commands fail, and say why.
	Unreadable bool
	// Live is true if it depends on processes of this machine, so that the clock of the
	// commands and of the views has to be the real one.
	Live bool
}

// A Need is a sentence of a view and the command that settles it.
type Need struct {
	Sentence string // a regular expression
	Command  string
}

// Faults returns all faults.
func Faults() []Fault {
	return []Fault{
		{Name: "question", Needs: []Need{{`task-1 asks: Is a limit of zero no limit at all, or is it no time at all\?`, "git liza answer task-1"}}},
		{Name: "verdict", Needs: []Need{{`submissions need license-checker, and no person's verdict counts for it: there is no provider license-bot`, "git config liza.license-checker.provider NAME"}}},
		{Name: "dead", Live: true, Needs: []Need{{`task-1 is held by coder-1, whose supervisor \(process [0-9]+\) is dead`, "git liza release task-1"}}},
		{Name: "trust", Needs: []Need{{`task-1: the board wants this machine to run a command that nobody here has allowed: test -e docs/costs.md`, "git liza trust 4462f22ea80154ffaf9f91b583e38b2b13789492"}}},
		{Name: "budget", Needs: []Need{{`the budget of goal-1 is spent: 26 of 25 dollars`, "git liza config budgets.goal.cost 51"}}},
		{Name: "checkpoint", Needs: []Need{
			{`the checkpoint waits for a decision: half of it is there`, "git liza checkpoint decide CONTINUE --message M"},
			{`REPLAN of checkpoint-1 holds 2 tasks back: smaller steps`, "git liza record alignment TEXT --answers checkpoint-1"}}},
		{Name: "reverted", Needs: []Need{{`task-1 was reverted by human:ann-example with [0-9a-f]{10}, and task-2 needs it`, "git liza undo task-1 --reopen"}}},
		{Name: "unreadable", Unreadable: true, Needs: []Need{{`tasks/01/task-1.yaml:[0-9]+: `, "git liza fsck --repair"}}},
	}
}

// Find returns the fault of that name.
func Find(name string) (Fault, error) {
	all := Faults()
	i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
	if i < 0 {
		return Fault{}, fmt.Errorf("there is no fault %q", name)
	}
	return all[i], nil
}

// Make makes the board in a folder that exists and is empty. environ is the environment of
// the commands; its PATH has git-liza. Make is done when every process that it started has
// ended.
func (f Fault) Make(dir string, environ []string) error {
	var steps strings.Builder
	for _, name := range []string{"board", f.Name} {
		text, err := scripts.ReadFile(name + ".sh")
		if err != nil {
			return err
		}
		steps.Write(text)
	}
	cmd := exec.Command("sh", "-c", steps.String())
	cmd.Dir, cmd.Env = dir, slices.Clone(environ)
	if f.Live {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(entry string) bool { return strings.HasPrefix(entry, "LIZA_NOW=") })
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("the board %s: %w\n%s", f.Name, err, out)
	}
	return nil
}
