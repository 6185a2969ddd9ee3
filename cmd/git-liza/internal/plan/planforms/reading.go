package planforms

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/planfile"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plan"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A reading makes the plan of a folder.
type reading struct {
	*files
	within string // from the root of the repository
	below  place

	feature  string
	tasks    []planfile.Source
	findings []planfile.Finding
	report   planfile.Report
	whole    *planfile.File // of a system whose file planfile reads
	err      error          // the first that ends the reading
}

// mostLeft bounds what the report lists.
const mostLeft = 2000

func (r *reading) result() *planfile.File {
	for _, name := range r.others {
		r.leave(name, 1, "the file", "it is a link or no plain file, and is not followed")
	}
	for _, name := range r.names {
		if !r.taken[name] {
			r.leave(name, 1, "the file", "it holds no work to be done; a task can name it as its spec")
		}
	}
	f := r.whole
	if f == nil {
		f = planfile.Converted(r.feature, r.tasks, r.findings, r.report)
	} else {
		f.Report.Left = append(f.Report.Left, r.report.Left...)
	}
	if n := len(f.Report.Left); n > mostLeft {
		f.Report.Left = append(f.Report.Left[:mostLeft], planfile.Left{Line: 1, What: "more", Why: fmt.Sprintf("%d more have no place in the plan", n-mostLeft)})
	}
	return f
}

// add adds a task that stands in a file. Its spec is the file, if it names none.
func (r *reading) add(file string, line int, t board.TaskInput, ended string) {
	t.Spec = cmp.Or(t.Spec, r.rooted(file))
	r.fit(file, line, &t)
	r.tasks = append(r.tasks, planfile.Source{Task: plan.Task{TaskInput: t}, At: planfile.Origin{File: path.Join(string(r.below), file), Line: line}, Ended: ended})
}

// rooted is the path of a file from the root of the repository.
func (r *reading) rooted(file string) string { return path.Join(r.within, file) }

// wrong notes what the plan is refused for.
func (r *reading) wrong(file string, line int, format string, args ...any) {
	r.findings = append(r.findings, planfile.Finding{File: path.Join(string(r.below), file), Line: max(line, 1), Code: plan.Form, Reason: fmt.Sprintf(format, args...)})
}

// leave notes what has no place in the plan.
func (r *reading) leave(file string, line int, what, why string) {
	r.report.Left = append(r.report.Left, planfile.Left{File: path.Join(string(r.below), file), Line: max(line, 1), What: what, Why: why})
}

// lack notes a file that is not there, by its name. means says what follows from it.
func (r *reading) lack(file, means string) {
	r.leave(file, 1, path.Base(file), "it is not there: "+means)
}

const unknownKey = "the key is not known here"

// leaveKeys notes the keys of a mapping that are not among those that are known.
func (r *reading) leaveKeys(file string, v document.Value, known ...string) {
	for _, m := range v.Members() {
		says := textOf(m.Value) != "" || len(m.Value.Entries())+len(m.Value.Members()) > 0
		if says && !slices.Contains(known, m.Key) {
			r.leave(file, m.Line, m.Key, unknownKey)
		}
	}
}

// fail ends the reading, unless the text of a file is at fault.
func (r *reading) fail(file string, err error) {
	var bad *malformed
	switch {
	case errors.As(err, &bad):
		r.wrong(file, bad.line, "%s", bad.reason)
	case r.err == nil:
		r.err = err
	}
}

// fit cuts texts and lists to what a board holds, and reports it.
func (r *reading) fit(file string, line int, t *board.TaskInput) {
	limit := board.DefaultConfig().TextLimit
	cut := func(key string, text *string, most int) {
		*text = board.Clean(*text)
		if len(*text) > most {
			r.leave(file, line, key, fmt.Sprintf("only its first %d bytes are taken", most))
			*text = strings.ToValidUTF8((*text)[:most-len("…")], "") + "…"
		}
	}
	cut("title", &t.Title, 200)
	cut("done_when", &t.DoneWhen, limit)
	cut("scope", &t.Scope, limit)
	context := string(t.Context)
	cut("context", &context, limit)
	t.Context = board.LongText(context)
	short := func(key string, list []string) []string {
		if len(list) > board.MaxList {
			r.leave(file, line, key, fmt.Sprintf("only its first %d entries are taken", board.MaxList))
			list = list[:board.MaxList]
		}
		for i := range list {
			cut(key, &list[i], limit)
		}
		return slices.DeleteFunc(list, func(text string) bool { return text == "" })
	}
	t.Acceptance = short("acceptance", t.Acceptance)
	if len(t.Steps) > board.MaxList {
		r.leave(file, line, "steps", fmt.Sprintf("only the first %d are taken", board.MaxList))
		t.Steps = t.Steps[:board.MaxList]
	}
	for i := range t.Steps {
		cut("steps", &t.Steps[i].Action, 1000)
		cut("steps", &t.Steps[i].Expect, 1000)
	}
}

// isEnded reports whether a word says that work is done. Its case does not matter.
func isEnded(status string) bool {
	switch strings.ToLower(strings.Trim(status, " *_`✅✓.")) {
	case "complete", "completed", "done", "validated", "archived", "passed", "merged":
		return true
	}
	return false
}

// lines are the entries of a list, a line each.
func lines(list []string) string { return strings.Join(list, "\n") }

// distinct is a list of texts without repetitions, and without empty ones.
func distinct(list []string) (found []string) {
	seen := map[string]bool{"": true}
	for _, one := range list {
		if !seen[one] {
			seen[one], found = true, append(found, one)
		}
	}
	return found
}
