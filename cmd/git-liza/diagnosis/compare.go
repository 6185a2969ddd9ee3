package diagnosis

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A Source is a text about a failure, with where it comes from.
type Source struct {
	Name    string    `json:"name"` // for people, such as session 1a2b3c4d5e of coder-1
	Task    string    `json:"task"`
	Session string    `json:"session"`
	At      time.Time `json:"at,omitzero"`
	Text    []byte    `json:"-"`
	Error   string    `json:"error"` // by which the board says that it failed; "" if it says nothing
}

// A Finding is a source with its report.
type Finding struct {
	Source
	Report
}

// Examine reads a source. The error that the board has of it counts as its last line, and
// has the fingerprint by which the rules count failures in a row. It knows the built-in
// causes, and more.
func Examine(s Source, more ...*Cause) Finding {
	text := s.Text
	if s.Error != "" {
		text = slices.Concat(text, []byte("\n"+s.Error))
	}
	f := Finding{Source: s, Report: Read(text, more...)}
	f.Error = plaintext.Line(s.Error)
	if s.Error != "" {
		f.Errors = append(f.Errors, Error{Type: "session", Message: f.Error, Causes: []string{}, Fingerprint: flow.Fingerprint(s.Error), At: f.Lines})
	}
	return f
}

// An Alike is an error that several sources have.
type Alike struct {
	Fingerprint string   `json:"fingerprint"`
	Message     string   `json:"message"` // of the first one
	Sources     []string `json:"sources"`
	Tasks       []string `json:"tasks"`
}

// Compare returns the errors that at least two sources have, the most frequent one first.
func Compare(list []Finding) []Alike {
	alike := []Alike{}
	for _, f := range list {
		for _, e := range f.Errors {
			if e.Fingerprint == "" {
				continue
			}
			i := slices.IndexFunc(alike, func(a Alike) bool { return a.Fingerprint == e.Fingerprint })
			if i < 0 {
				i = len(alike)
				alike = append(alike, Alike{Fingerprint: e.Fingerprint, Message: e.Message, Tasks: []string{}})
			}
			a := &alike[i]
			if !slices.Contains(a.Sources, f.Name) {
				a.Sources = append(a.Sources, f.Name)
			}
			if f.Task != "" && !slices.Contains(a.Tasks, f.Task) {
				a.Tasks = append(a.Tasks, f.Task)
			}
		}
	}
	alike = slices.DeleteFunc(alike, func(a Alike) bool { return len(a.Sources) < 2 })
	slices.SortStableFunc(alike, func(x, y Alike) int { return cmp.Compare(len(y.Sources), len(x.Sources)) })
	return alike
}

// areaSteps are the steps that help with every cause of an area.
var areaSteps = map[Area][]Step{
	Language:    {{[]string{"git", "log", "-3", "--stat"}, Safe, "Shows what changed last.", "it only reads"}},
	Tool:        {{[]string{"git", "log", "-3", "--stat"}, Safe, "Shows what changed last.", "it only reads"}},
	Git:         {{[]string{"git", "status"}, Safe, "Shows where the checkout stands.", "it only reads"}},
	Environment: {{[]string{"git", "liza", "doctor"}, Safe, "Looks for what makes work fail on this machine.", "it only reads"}},
	Agent:       {{[]string{"git", "liza", "agents"}, Safe, "Shows which agents work, wait or are paused.", "it only reads"}, {[]string{"git", "liza", "doctor"}, Safe, "Looks for what makes work fail on this machine.", "it only reads"}},
}

// Plan returns the steps of a recovery from a cause, those that only read first.
func Plan(cause *Cause) []Step {
	list := slices.Concat(areaSteps[cause.Area], cause.Steps)
	slices.SortStableFunc(list, func(x, y Step) int { return cmp.Compare(x.Risk.order(), y.Risk.order()) })
	return list
}

func (r Risk) order() int { return slices.Index([]Risk{Safe, Moderate, Destructive}, r) }

// Ready reports whether a step can be run as it stands: no word is for the reader to
// replace.
func (s Step) Ready() bool {
	return !slices.ContainsFunc(s.Command, func(word string) bool { return blank().MatchString(word) })
}
