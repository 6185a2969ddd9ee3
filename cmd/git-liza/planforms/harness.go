package planforms

import (
	"path"
	"slices"
	"strings"
)

// readHarness reads what a harness keeps beside phases: where work goes on, and how far it
// may be automated. None of it is a task; the report says so, and which version it is.
func (r phases) readHarness() error {
	state, resume, class := r.has("STATE.md"), r.has(".continue-here.md"), r.has("HARNESS_STATE.json")
	if state {
		if err := r.readState(); err != nil {
			return err
		}
	}
	if resume {
		r.leave(".continue-here.md", 1, "the file", "the board says what is in work, git liza next what to do next")
		r.taken[".continue-here.md"] = true
	}
	version := ""
	switch {
	case class && r.readClass():
		version = "V2"
	case resume || class:
		version = "V1"
	default:
		return r.err
	}
	r.report.System += ", harness " + version
	for _, need := range []struct {
		name  string
		lacks bool
	}{{"STATE.md", !state}, {".continue-here.md", !resume && version == "V1"}} {
		if need.lacks {
			r.lack(need.name, "the harness asks for it")
		}
	}
	return r.err
}

// readState reads STATE.md: its version, and where it says that work goes on.
func (r phases) readState() error {
	const file = "STATE.md"
	p := r.page(file)
	if p == nil {
		return r.err
	}
	if v := p.front.Key("gsd_state_version"); v.Line() > 0 {
		if major, _, _ := strings.Cut(textOf(v), "."); major != "1" {
			return refusef(nil, "STATE.md has version %.20q of the state of GSD, which is not known here; version 1 is", textOf(v))
		}
	}
	for i, l := range p.lines {
		name, value := l.field()
		switch name {
		case "pointer", "resume file", "phase directory":
			r.leavePointer(file, l.number, strings.Trim(value, "`\"' "))
		case "status", "next action", "current phase":
			if value == "" && i+1 < len(p.lines) {
				value = strings.TrimSpace(p.lines[i+1].text)
			}
			r.leave(file, l.number, name, "the board says what is in work: "+value)
		}
	}
	return nil
}

// leavePointer reports where work goes on, and whether that is there.
func (r phases) leavePointer(file string, line int, to string) {
	rel := strings.TrimPrefix(strings.TrimPrefix(path.Clean(to), r.within+"/"), ".planning/")
	switch {
	case to == "" || strings.HasPrefix(to, "<"):
		r.leave(file, line, "pointer", "it is not filled in")
	case path.IsAbs(rel) || rel == ".." || strings.HasPrefix(rel, "../"):
		r.leave(file, line, "pointer", "it leads out of the folder, to "+to)
	case !r.has(rel) && !r.hasFolder(rel):
		r.leave(file, line, "pointer", to+" is not there")
	default:
		r.leave(file, line, "pointer", "the board says what is in work: "+to)
	}
}

// readClass reads HARNESS_STATE.json, and reports whether it has the form of V2.
func (r phases) readClass() bool {
	const file = "HARNESS_STATE.json"
	root := r.structured(file)
	class, inner := root, root.Key("classification")
	if inner.IsMapping() {
		class = inner
		r.leaveKeys(file, root, "classification")
	}
	known := []string{"type", "scope", "automation_fit", "ecc", "plan_hash", "plan_file", "source", "decided_at"}
	r.leaveKeys(file, class, known...)
	if slices.ContainsFunc(known, func(key string) bool { return class.Key(key).Line() > 0 }) {
		r.leave(file, class.Line(), "classification", "git liza classify infers the class of a plan from its bytes")
	}
	return inner.IsMapping()
}
