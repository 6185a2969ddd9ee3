package web

import (
	"fmt"
	"html/template"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
)

// templateFuncs are what templates call beside the methods of a visit.
func (s *Server) templateFuncs() template.FuncMap {
	return template.FuncMap{
		"ago":     func(at any) string { return agoText(timeOf(at), s.Clone.Store.Now()) },
		"stamp":   func(at any) string { return timeOf(at).UTC().Format(time.RFC3339) },
		"words":   func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") },
		"shortID": func(id any) string { return board.ObjectID(fmt.Sprint(id)).Short() },
		"plain":   view.Plain,
		"finding": view.FindingLine,
		"line":    func(e view.Entry) string { return strings.TrimSpace(view.LogText([]view.Entry{e}, 0)) },
		"pair":    func(first *visit, second any) pair { return pair{first, second} },
		"first":   firstOf,
		"left":    func(n int, list any) int { return max(0, reflect.ValueOf(list).Len()-n) },
		"span":    view.Span,
		"minute":  func(at any) string { return timeOf(at).UTC().Format("2006-01-02 15:04Z") },
		"seconds": func(n int64) string { return view.Span(time.Duration(min(n, 1<<32)) * time.Second) },
		"count":   view.Count,
		"inc":     func(n int) int { return n + 1 },
		"taskOf":  taskOf,
		"sign":    func(sign string) string { return map[string]string{"+": "add", "-": "gone", "@": "hunk"}[sign] },
	}
}

// agoText says how long ago a time was, or how far ahead it is.
func agoText(at, now time.Time) string {
	if at.After(now) {
		return "in " + view.Span(at.Sub(now))
	}
	return view.Span(now.Sub(at)) + " ago"
}

// A pair gives a template two values.
type pair struct {
	First  *visit
	Second any
}

// firstOf returns at most so many elements of a list.
func firstOf(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(n, v.Len())).Interface()
}

// timeOf reads a time as the values for JSON have it.
func timeOf(at any) time.Time {
	switch at := at.(type) {
	case time.Time:
		return at
	case *time.Time:
		return *at
	case string:
		t, _ := time.Parse(time.RFC3339, at)
		return t
	}
	return time.Time{}
}

// aboutTasks are the kinds of items whose subject is a task.
var aboutTasks = []string{"question", "blocked", "exhausted", "integration_failed", "verdict", "recheck", "barred", "draft", "dead", "reverted", "doubt"}

// taskOf returns the task that an item is about, "" if it is about something else.
func taskOf(i view.Item) board.TaskID {
	var id board.TaskID
	if !slices.Contains(aboutTasks, i.Kind) || id.UnmarshalText([]byte(i.Subject)) != nil {
		return ""
	}
	return id
}

// Key is the name of the page's templates.
func (v *visit) Key() string { return v.page.key }

// ID is the id in the page's address.
func (v *visit) ID() string { return v.id }

// State is the state of the past that the page shows, as its address names it, "" for now.
func (v *visit) State() string { return v.at }

// A field is a value of a query.
type field struct{ Name, Value string }

// Kept are the values of this page's query that the form at the top has no field for.
func (v *visit) Kept() (list []field) {
	for _, name := range slices.Sorted(maps.Keys(v.query)) {
		if name != "at" && name != "q" && name != "before" && name != "skip" {
			list = append(list, field{name, v.query.Get(name)})
		}
	}
	return list
}

// When is the time at which the page is shown.
func (v *visit) When() time.Time { return v.now }

// Refreshes reports whether the page is loaded again and again where no script runs.
func (v *visit) Refreshes() bool {
	return (v.page.key == "board" || v.frame.Status == nil) && v.at == ""
}

// Sheets are the style sheets.
func (v *visit) Sheets() []string { return []string{"style.css", drawingSheet} }

// Changes is the patch that the page shows, nil if it shows none.
func (v *visit) Changes() *diffPage {
	switch data := v.data.(type) {
	case *diffPage:
		return data
	case taskPage:
		return data.Changes
	}
	return nil
}

// Text renders a text of several lines. Of a very long one the beginning is shown, and
// the rest stands where a link leads.
func (v *visit) Text(text string) template.HTML {
	part, next := firstLines(strings.TrimRight(text, "\n"), 1)
	html := `<div class="text">` + template.HTMLEscapeString(part) + `</div>`
	if next > 0 {
		html += fmt.Sprintf(`<p class="more"><a href="%s">the lines from %d on</a></p>`, template.HTMLEscapeString(addressWith(v, "json", "1")), next)
	}
	return template.HTML(html)
}
