package flow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// workflow reads NAME:PHASE;PHASE… from a pair, each phase with options in brackets:
// roles=A+B, kinds=A+B, art=TYPE@GLOB@COUNT, task=NAME@ROLE@KIND@NEED@REVIEW, gate=NAME, human. NAME*N
// bounds the claims at once. Each type that is used is frozen once its status is accepted.
func (w words) workflow(key string) *board.Workflow {
	name, phases, given := strings.Cut(w.pairs[key], ":")
	if !given {
		return nil
	}
	made := &board.Workflow{}
	name, parallel, _ := strings.Cut(name, "*")
	made.Name = name
	made.Parallel, _ = strconv.Atoi(parallel)
	for text := range strings.SplitSeq(phases, ";") {
		id, options, _ := strings.Cut(text, "[")
		f := board.WorkflowPhase{Name: board.PhaseID(id)}
		for option := range strings.SplitSeq(options, "[") {
			key, value, _ := strings.Cut(strings.TrimSuffix(option, "]"), "=")
			at := func(i int) string { return append(strings.Split(value, "@"), "", "", "", "", "")[i] }
			switch key {
			case "roles":
				f.Roles = ids[board.Role](strings.Split(value, "+"))
			case "kinds":
				f.Kinds = kindsOf(value)
			case "art":
				n, _ := strconv.Atoi(at(2))
				f.Artifacts = append(f.Artifacts, board.PhaseArtifact{Type: at(0), Path: at(1), Count: n})
				if made.Type(at(0)) == nil && at(0) != "none" {
					made.Types = append(made.Types, board.ArtifactType{Name: at(0), Frozen: []board.Condition{{Field: "status", Values: []string{"accepted"}}}})
				}
			case "task":
				t := board.TaskTemplate{Name: at(0), Title: "Do " + at(0), Role: board.Role(at(1)), DoneWhen: "it is there"}
				if at(2) != "" {
					t.Kind = kindsOf(at(2))[0]
				}
				if at(3) != "" {
					t.DependsOn = []string{at(3)}
				}
				if at(4) != "" {
					t.ReviewBy = ids[board.Role](strings.Split(at(4), "+"))
				}
				f.Tasks = append(f.Tasks, t)
			case "gate":
				f.Gates = append(f.Gates, value)
			case "human":
				f.Human = true
			case "":
			default:
				panic(option + " is no option of a phase")
			}
		}
		made.Phases = append(made.Phases, f)
	}
	return made
}

func kindsOf(text string) (kinds []board.Kind) {
	for one := range strings.SplitSeq(text, "+") {
		var k board.Kind
		if err := k.UnmarshalText([]byte(one)); err != nil {
			panic(err)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

func (w words) every() (e board.Every) {
	_ = e.UnmarshalText([]byte(w.pairs["every"]))
	return e
}

// class reads TYPE/SCOPE/LOOP/LOOK/SOURCE; nil where it is not given.
func (w words) class(key string) *board.Class {
	if w.pairs[key] == "" {
		return nil
	}
	part := append(strings.Split(w.pairs[key], "/"), "", "", "", "")
	return &board.Class{Type: automation.Type(part[0]), Scope: automation.Scope(part[1]), Loop: automation.Loop(part[2]), SecondLook: automation.SecondLook(part[3]), Source: automation.Source(part[4])}
}

// loop reads ITERATIONS:KEY=VALUE…; nil where it is not given.
func (w words) loop(spec string) *board.Loop {
	if w.pairs["loop"] == "" {
		return nil
	}
	return &board.Loop{Path: board.SpecPath(w.or("stories", spec)), Blob: board.ObjectID(board.TrackedID(board.SpecPath(spec))), Iterations: w.number("loop"), Tokens: int64(w.number("tokens")),
		Wall: board.Duration(w.span("wall", 0)), Used: w.number("spent"), Denies: w.list("denies"), Judge: w.role("judge", "")}
}

// find lets git find the files of the pair found, PATH or PATH@BLOB, where it is asked
// which match.
func (w words) find(f *Facts, q Query) {
	for _, one := range w.list("found") {
		path, name, other := strings.Cut(one, "@")
		if !slices.ContainsFunc(q.Match, func(pattern string) bool { return glob.Match(pattern, path) }) {
			panic("git is not asked for " + path)
		}
		blob := board.ObjectID(board.TrackedID(path))
		if other {
			blob = object(name)
		}
		was := f.Texts[path]
		f.Matches = append(f.Matches, path)
		f.Texts[path] = TextFact{Text: board.Text{Path: path, Blob: blob, Sections: was.Sections}, Onto: was.Onto, Base: was.Base, Submitted: blob}
	}
	slices.Sort(f.Matches)
}

// phaseProperty is what stands on the board of the phases of a goal.
func (s *scene) phaseProperty(name string, g *board.Goal) (string, bool) {
	switch name {
	case "workflow":
		return g.Workflow, true
	case "inphase":
		return string(g.Phase), true
	case "begun":
		return join(g.Begun), true
	case "plans":
		var list []string
		for _, p := range g.Plans {
			list = append(list, p.Path)
		}
		return strings.Join(list, ","), true
	case "dueplans":
		var list []string
		for _, p := range board.DuePlans(s.board, g.ID) {
			list = append(list, p.Path)
		}
		return strings.Join(list, ","), true
	case "used":
		return strconv.Itoa(g.Loop.Used), true
	case "lacks":
		var list []Rule
		for _, r := range ExitLacks(s.board, g.ID) {
			requireHelpful(s.t, r)
			list = append(list, r.Rule)
		}
		return join(list), true
	}
	return "", false
}
