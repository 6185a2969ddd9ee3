package e2e

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// recipe is what the prompt asks for: the first attempt, the one that answers
// a rejection, or the fix of a merge that failed, with its tip.
func (s *scene) recipe() (r *playbook.Recipe, tip string) {
	w := s.work()
	if tip = s.find(`(?m)^git merge ([0-9a-f]{40,})$`); tip != "" && w.Fix != nil {
		return w.Fix, tip
	}
	return &w.Attempts[s.due()-1], ""
}

// due is how many attempts have to be on the branch.
func (s *scene) due() int {
	due := 1
	if strings.Contains(s.prompt, "## Rejected by ") {
		due = 2
	}
	return min(due, len(s.work().Attempts))
}

// declare records the intent.
func declare(s *scene) standin.Turn {
	r, _ := s.recipe()
	in := r.Intent
	args := []string{"git liza intent", string(s.work().Task), "--summary", quote(in.Summary), "--validation", quote(in.Validation)}
	if in.TestsNotNeeded != "" {
		args = append(args, "--tests-not-needed", quote(in.TestsNotNeeded))
	}
	for _, f := range in.Files {
		args = append(args, "--files", quote(f))
	}
	for _, glob := range in.Extend {
		args = append(args, "--extend", quote(glob))
	}
	return s.says("I say what I am going to do.", strings.Join(args, " "))
}

// draft writes the new files of a first attempt with the command line's own
// tool. Where it has none, they are written by the shell.
func draft(s *scene) standin.Turn {
	turn := standin.Turn{Text: "I write the files."}
	for _, f := range s.drafts() {
		call, ok := s.writes(string(f.Path), f.Content)
		if !ok {
			return s.says(turn.Text, s.pours(s.drafts()))
		}
		turn.Tools = append(turn.Tools, call)
	}
	if turn.Tools == nil {
		return s.says("I look at the last change.", "git show --stat")
	}
	return turn
}

// drafts are the files that a first attempt makes.
func (s *scene) drafts() (files []playbook.File) {
	r, tip := s.recipe()
	if tip == "" && s.due() == 1 {
		for _, f := range r.Write {
			if !f.Executable {
				files = append(files, f)
			}
		}
	}
	return files
}

// pours is the command that writes files.
func (s *scene) pours(files []playbook.File) string {
	var b strings.Builder
	for _, f := range files {
		name := string(f.Path)
		fmt.Fprintf(&b, "mkdir -p %s\n%s", path.Dir(name), s.here("cat >"+name, f.Content))
		if f.Executable {
			fmt.Fprintf(&b, "chmod +x %s\n", name)
		}
	}
	return b.String()
}

// construct does what is not done yet, runs the tests and commits.
func construct(s *scene) standin.Turn {
	var b strings.Builder
	b.WriteString("(set -e\n")
	r, tip := s.recipe()
	if tip != "" {
		fmt.Fprintf(&b, "git merge -q --no-ff --no-commit %s || git status --short\n", tip)
		b.WriteString(s.commits(r, s.pours(r.Write)))
	} else {
		attempts := s.work().Attempts[:s.due()]
		for i := range attempts {
			pour := s.pours(attempts[i].Write)
			if len(attempts) == 1 {
				pour = s.pours(withoutDrafts(attempts[i].Write))
			}
			for _, f := range attempts[i].Append {
				pour += s.here("cat >>"+string(f.Path), f.Content)
			}
			b.WriteString(s.commits(&attempts[i], pour+s.patches(attempts[i].Run)))
		}
	}
	b.WriteString("git status --short; git log --oneline -3)")
	return s.says("I build it, run the tests and commit.", b.String())
}

func withoutDrafts(files []playbook.File) (rest []playbook.File) {
	for _, f := range files {
		if f.Executable {
			rest = append(rest, f)
		}
	}
	return rest
}

// patches applies a patch. Where it does not fit, the other command has been
// merged before: both are wanted then.
func (s *scene) patches(run string) string {
	if run == "" {
		return ""
	}
	if fix := s.work().Fix; fix != nil {
		return "if ! (" + s.here("sh", run) + ")\nthen\n" + s.pours(fix.Write) + "fi\n"
	}
	return s.here("sh", run)
}

// commits carries out one recipe, unless an earlier session did. Where the
// supervisor commits, the last one is left for it.
func (s *scene) commits(r *playbook.Recipe, pour string) string {
	if last, _ := s.recipe(); s.reported() {
		if r != last {
			return ""
		}
		return pour + "sh scripts/integration-test.sh\n"
	}
	subject, _, _ := strings.Cut(r.Message, "\n")
	return "if ! git log --format=%s " + s.find(`(?m)^base_commit: (\S+)$`) + "..HEAD | grep -qxF " + quote(subject) + "\nthen\n" +
		pour + "sh scripts/integration-test.sh\ngit add -A\n" + s.here("git commit -q -F -", r.Message) + "fi\n"
}

// report is the last message of a coder whose supervisor makes the moves.
func report(s *scene) standin.Turn {
	r, _ := s.recipe()
	block := map[string]any{"summary": r.Intent.Summary, "validation": r.Intent.Validation}
	if len(r.Intent.Extend) > 0 {
		block["extend"] = r.Intent.Extend
	}
	text, err := json.Marshal(block) // JSON is YAML
	if err != nil {
		return standin.Turn{Status: 500, Text: err.Error()}
	}
	return standin.Turn{Text: "It is done: " + strings.TrimSpace(s.last()) + "\n\n```liza\n" + string(text) + "\n```\n"}
}

func submit(s *scene) standin.Turn {
	return s.says("It is committed, so I submit it.", "git liza submit "+string(s.work().Task))
}
