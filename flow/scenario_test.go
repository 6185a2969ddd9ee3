package flow

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestScenarios plays testdata/scenarios/*.txt. A file holds scenarios that
// are parted by "name: …" lines; each begins with a fresh board, with none after
// the line "no board". A line holds one or several steps, parted by "|":
//
//	+31m                                   time goes on
//	coder-1 claim task-1 -> CLAIMED        a move, and the state it leads to
//	coder-2 claim task-1 -> refused lease  a move that a rule refuses
//	… -> refused lease: is held by         and says, or hints at
//	coder-1 claim task-1 -> already        what the board says already
//	coder-1 due -> changed sprint_close    the first move that is due; due.old: that was due at the line remember
//	task-1 has iteration=2 coder=coder-1   what stands on the board
//
// An actor is written as coder-1, as coder-1.child (the process that it
// spawned), coder-1.old or coder-1.bare (with an earlier generation, with
// none), and with @NAME for its principal. What the words after an act mean
// stands in details and words.
//
// At the end every act was accepted once and refused once, and every rule has
// refused something.
func TestScenarios(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var seen record
	t.Run("of", func(t *testing.T) {
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, part := range strings.Split(string(text), "\nname: ")[1:] {
				name, script, _ := strings.Cut(part, "\n")
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+name, func(t *testing.T) {
					t.Parallel()
					runScenario(t, script, &seen)
				})
			}
		}
	})
	if all := flag.Lookup("test.run").Value.String() == ""; all && !t.Failed() {
		seen.requireAll(t)
	}
}

// record is what the scenarios have shown between them.
type record struct {
	sync.Mutex
	accepted, refused map[board.Act]bool
	rules             map[Rule]bool
}

func (r *record) note(act board.Act, refusal *Refusal) {
	r.Lock()
	defer r.Unlock()
	if r.rules == nil {
		r.accepted, r.refused, r.rules = map[board.Act]bool{}, map[board.Act]bool{}, map[Rule]bool{}
	}
	if refusal == nil {
		r.accepted[act] = true
		return
	}
	r.refused[act], r.rules[refusal.Rule] = true, true
}

func (r *record) requireAll(t *testing.T) {
	for _, act := range board.Acts() {
		require.True(t, r.accepted[act] || act == board.ActMigrate && len(formats) == 1, "no scenario shows an accepted %s", act)
		require.True(t, r.refused[act], "no scenario shows a refused %s", act)
	}
	// Not rules about moves: a breach, an empty list of candidates, a missing name, a signature.
	elsewhere := []Rule{RuleInvariant, RuleNothing, RuleIdentity, RuleSignature}
	for _, name := range ruleNames(t) {
		if !slices.Contains(elsewhere, Rule(name)) {
			require.True(t, r.rules[Rule(name)], "no scenario shows a refusal by the rule %s", name)
		}
	}
}

// ruleNames are the names of all rules, as refusal.go lists them.
func ruleNames(t require.TestingT) []string {
	namesOnce.Do(func() {
		text, err := os.ReadFile("refusal.go")
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`\bRule\w+ +Rule = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			allNames = append(allNames, m[1])
		}
	})
	require.NotEmpty(t, allNames)
	return allNames
}

var (
	namesOnce sync.Once
	allNames  []string
)

func runScenario(t *testing.T, script string, seen *record) {
	s := opened(t)
	for i, line := range strings.Split(script, "\n") {
		line, _, _ = strings.Cut(line, " # ")
		if strings.TrimSpace(line) == "no board" {
			s = empty(t)
			continue
		}
		for _, step := range strings.Split(line, "|") {
			if step = strings.TrimSpace(step); step != "" {
				if wrong := s.step(step, seen); wrong != "" {
					t.Fatalf("line %d of the scenario: %s\n%s", i+1, step, wrong)
				}
			}
		}
	}
}

var stepForm = regexp.MustCompile(`^(?:\+(-?\w+)\s*)?(.*?)(?:\s*->\s*(.*))?$`)

// step plays one step; what it returns says how it went otherwise.
func (s *scene) step(step string, seen *record) string {
	m := stepForm.FindStringSubmatch(step)
	if m[1] != "" {
		d, err := time.ParseDuration(m[1])
		require.NoError(s.t, err)
		s.now = s.now.Add(d)
	}
	fields := strings.Fields(m[2])
	switch {
	case len(fields) == 0:
		return ""
	case len(fields) > 1 && fields[1] == "has":
		return s.has(fields[0], fields[2:])
	case len(fields) == 2 && (fields[1] == "due" || fields[1] == "due.old"):
		return s.makeDue(fields[0], fields[1] == "due.old", m[3], seen)
	case len(fields) < 2 && fields[0] == "remember":
		s.remembered = DueMoves(s.board, s.now)
		return ""
	case len(fields) < 2:
		return "a step needs an actor and an act"
	}
	move, facts := s.moveOf(fields)
	if m[3] == "already" {
		if !Already(s.board, move) {
			return "the board does not say so already"
		}
		return ""
	}
	if Already(s.board, move) && !strings.HasPrefix(m[3], "refused") {
		return "the board says so already"
	}
	refusal := s.judge(move, facts)
	seen.note(move.Act, refusal)
	if r, ok := move.Detail.(*RegisterMove); ok && refusal == nil {
		s.generations[r.Agent] = append(s.generations[r.Agent], r.Generation)
	}
	return s.outcome(move, refusal, m[3])
}

// makeDue makes the first move that is due, or was due when the scene remembered it:
// -> changed ACT, already, nothing, or refused RULE.
func (s *scene) makeDue(who string, old bool, want string, seen *record) string {
	list := DueMoves(s.board, s.now)
	if old {
		list = s.remembered
	}
	if len(list) == 0 {
		if want == "nothing" {
			return ""
		}
		return "nothing is due"
	}
	m := s.by(board.Actor(who), list[0].Act, "", list[0].Detail)
	m.Goal = list[0].Goal
	if Already(s.board, m) {
		if want == "already" {
			return ""
		}
		return "the board says so already"
	}
	refusal := s.judge(m, agreeing(s.board, m))
	seen.note(m.Act, refusal)
	rule, mustRefuse := strings.CutPrefix(want, "refused ")
	switch {
	case refusal != nil && (!mustRefuse || string(refusal.Rule) != rule):
		return refusal.Error()
	case refusal == nil && want != "changed "+m.Act.String():
		return "made " + m.Act.String()
	}
	return ""
}

func (s *scene) outcome(m Move, refusal *Refusal, want string) string {
	rule, mustRefuse := strings.CutPrefix(want, "refused ")
	rule, words, _ := strings.Cut(rule, ": ")
	switch {
	case mustRefuse && refusal == nil:
		return "it was accepted"
	case mustRefuse && !strings.Contains(refusal.Reason+"\n"+refusal.Hint, words):
		return fmt.Sprintf("refused by %s: %s (%s)", refusal.Rule, refusal.Reason, refusal.Hint)
	case mustRefuse && string(refusal.Rule) != rule:
		return fmt.Sprintf("refused by %s: %s", refusal.Rule, refusal.Reason)
	case mustRefuse:
		return ""
	case refusal != nil:
		return fmt.Sprintf("refused by %s: %s (%s)", refusal.Rule, refusal.Reason, refusal.Hint)
	case want != "" && s.board.Task(m.Task).Status.String() != want:
		return "led to " + s.board.Task(m.Task).Status.String()
	}
	return ""
}

var actorForm = regexp.MustCompile(`^([^.@]+)(?:\.(child|old|bare))?(?:@(\w+))?$`)

// moveOf reads ACTOR ACT WORDS… into a move and what git says of it.
func (s *scene) moveOf(fields []string) (Move, *Facts) {
	who := actorForm.FindStringSubmatch(fields[0])
	require.NotNil(s.t, who, "actor %s", fields[0])
	var act board.Act
	require.NoError(s.t, act.UnmarshalText([]byte(fields[1])))
	w := splitWords(board.Actor(who[1]), fields[2:])
	task := board.TaskID("")
	if takesTask(act) && len(w.plain) > 0 {
		task, w.plain = board.TaskID(w.plain[0]), w.plain[1:]
	}
	detail := details[act](s, task, w)
	m := s.by(w.by, act, task, detail)
	m.Principal = who[3]
	if goal := w.pairs["in"]; goal != "" {
		m.Goal = board.GoalID(goal)
	}
	switch who[2] {
	case "child":
		m.Generation = s.board.Agent(m.By.Agent()).Generation.Child()
	case "old":
		list := s.generations[m.By.Agent()]
		m.Generation = list[len(list)-2]
	case "bare":
		m.Generation = ""
	}
	facts := agreeing(s.board, m)
	w.doubt(facts)
	w.find(facts, Ask(s.board, m))
	return s.withTexts(m, facts), facts
}
