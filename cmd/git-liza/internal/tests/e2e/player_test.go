package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

// A player is what a language model is to a command line that runs as an agent:
// it reads the prompt of git liza, knows how to do the work, and does it with
// the tools that the command line offers. It sees nothing but the conversation.
// What it knows stands in the demo's playbook, which is not in the repository.
type player struct {
	book *playbook.Playbook
}

func newPlayer(t *testing.T) *player {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "demo", "product", "specs", "playbook.yaml"))
	require.NoError(t, err)
	return playerOf(t, data)
}

// playerOf is a player with another playbook.
func playerOf(t *testing.T, data []byte) *player {
	t.Helper()
	book, err := playbook.Parse("playbook.yaml", data)
	require.NoError(t, err)
	return &player{book: book}
}

// A scene is where a session stands.
type scene struct {
	*player
	asked   standin.Conversation
	prompt  string
	results []string // what the tools answered since the prompt
}

// A step is one turn of a role.
type step func(*scene) standin.Turn

// does is what roles do that write.
var does = []step{orient, declare, draft, construct, submit, conclude}

// parts are what each role does, a turn after the other.
var parts = map[string][]step{
	"planner":       {orient, plan, conclude},
	"coder":         does,
	"researcher":    does, // these and the next two write artifacts
	"spec-writer":   does,
	"architect":     does,
	"manager":       does,
	"code-reviewer": {orient, examine, judge, conclude},
	"hermit":        {orient, examine, judge, conclude}, // of [ownRoles]

	// one that cannot commit, and for whom its supervisor does and reports
	"coder, reported": {orient, draft, construct, report},
}

// Next is the turn that is due since the last prompt of git liza: a session
// that is resumed has earlier ones. What is asked besides, such as a title, is
// answered in a word.
func (p *player) Next(c standin.Conversation) standin.Turn {
	s, turns := p.scene(c)
	role := s.find(`(?m)^# Your role: (\S+)`)
	if s.reported() {
		role += ", reported"
	}
	steps := parts[role]
	if len(c.Tools) == 0 || steps == nil {
		return standin.Turn{Text: "tally"}
	}
	return steps[min(turns, len(steps)-1)](s)
}

// scene is where a conversation stands, with the turns since the last prompt.
func (p *player) scene(c standin.Conversation) (s *scene, turns int) {
	s = &scene{player: p, asked: c}
	for _, m := range c.Messages {
		switch {
		case strings.Contains(m.Text, "# Your role: ") && m.Role == "user":
			s.prompt, s.results, turns = m.Text, nil, 0
		case strings.Contains(m.Text, "# What is new") && m.Role == "user":
			s.prompt, s.results, turns = m.Text+"\n"+s.prompt, nil, 0 // what is new is found first
		case m.Role == "model":
			turns++
		case m.Role == "tool":
			s.results = append(s.results, m.Text)
		}
	}
	return s, turns
}

// find is the first group of the pattern in the prompt, "" if it is not there.
func (s *scene) find(pattern string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(s.prompt); found != nil {
		return found[1]
	}
	return ""
}

// reported is true where the supervisor commits and reports.
func (s *scene) reported() bool { return strings.Contains(s.prompt, "# How you report") }

// last is what a tool answered last.
func (s *scene) last() string {
	if len(s.results) == 0 {
		return ""
	}
	return s.results[len(s.results)-1]
}

// work is what the playbook knows of the task in the prompt.
func (s *scene) work() *playbook.Work {
	id := s.find(`(?m)^id: (\S+)$`)
	i := slices.IndexFunc(s.book.Work, func(w playbook.Work) bool { return string(w.Task) == id })
	if i < 0 {
		return &playbook.Work{Task: "task-unknown", Attempts: []playbook.Recipe{{}}}
	}
	return &s.book.Work[i]
}

// says is a turn that calls the shell.
func (s *scene) says(text, command string) standin.Turn {
	return standin.Turn{Text: text, Tools: []standin.Call{s.shell(command)}}
}

// shell is a call of the tool that runs commands.
func (s *scene) shell(command string) standin.Call {
	for _, name := range s.asked.Tools {
		switch name {
		case "exec_command":
			return standin.Call{Name: name, Input: map[string]any{"cmd": command, "yield_time_ms": 30000}}
		case "shell":
			return standin.Call{Name: name, Input: map[string]any{"command": []string{"bash", "-c", command}}}
		case "Bash", "bash", "run_shell_command":
			return standin.Call{Name: name, Input: map[string]any{"command": command, "description": "go on with the task"}}
		}
	}
	return standin.Call{Name: "there-is-no-shell", Input: map[string]any{"command": command}}
}

// writes is a call of the tool that makes a file, if there is one.
func (s *scene) writes(path, content string) (standin.Call, bool) {
	keys := map[string][2]string{"Write": {"file_path", "content"}, "write": {"filePath", "content"}, "write_file": {"file_path", "content"}}
	if slices.Contains(s.asked.Tools, "ls") { // pi
		keys["write"] = [2]string{"path", "content"}
	}
	for _, name := range s.asked.Tools {
		if key, ok := keys[name]; ok {
			path = filepath.Join(s.find(`(?m)^worktree: (.+)$`), filepath.FromSlash(path))
			return standin.Call{Name: name, Input: map[string]any{key[0]: path, key[1]: content}}, true
		}
	}
	return standin.Call{}, false
}

// orient looks around, as every role does first.
func orient(s *scene) standin.Turn {
	return s.says("I look at where things stand.", "pwd; git status --short; git log --oneline -3; git liza list --all; cat specs/vision.md")
}

// conclude ends the session with what came of it.
func conclude(s *scene) standin.Turn {
	return standin.Turn{Text: "This is what came of it: " + strings.TrimSpace(s.last())}
}

// quote makes one word of the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// here is a text on the standard input of a command. gemini takes no command
// with $( or ` in it, be it quoted.
func (s *scene) here(command, text string) string {
	if slices.Contains(s.asked.Tools, "run_shell_command") && strings.ContainsAny(text, "$`") {
		return "echo " + base64.StdEncoding.EncodeToString([]byte(text)) + " | base64 -d | " + command + "\n"
	}
	return command + " <<'END_OF_TEXT'\n" + strings.TrimSuffix(text, "\n") + "\nEND_OF_TEXT\n"
}
