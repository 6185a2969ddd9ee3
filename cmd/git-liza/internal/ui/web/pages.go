package web

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/drawing"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
)

// A page is what stands at an address below the secret path. Its template file defines
// its body by the page's key, and each of its parts as KEY.PART.
type page struct {
	key   string // of its templates, and of its file
	path  string // such as task/{id}
	name  string // in the list of pages, "" if it is not there
	title string // the id of what it shows stands before it

	parts   []string                    // what is replaced when it looks different after a change
	filters bool                        // it takes words of the filter language, ?q=
	every   time.Duration               // how often to look at what changes without a move; zero: never
	show    func(v *visit) (any, error) // the values for its templates, which ?json answers with
}

// notice is a part of all pages: what is wrong with the board.
const notice = "notice"

// templateOf is the template of a part.
func (p *page) templateOf(part string) string {
	if part == notice {
		return "base." + notice
	}
	return p.key + "." + part
}

// pages are all pages, in the order of the list of pages.
func pages() []page {
	return []page{
		{key: "board", path: "", name: "Board", title: "Board", parts: []string{"head", "inbox", "flow", "agents", "alarms", "log"}, filters: true, show: showBoard},
		{key: "inbox", path: "inbox", name: "Inbox", title: "Inbox", parts: []string{"items"}, filters: true, show: showInbox},
		{key: "agents", path: "agents", name: "Agents", title: "Agents", parts: []string{"list"}, filters: true, show: showAgents},
		{key: "agent", path: "agent/{id}", title: "agent", parts: []string{"state", "line", "output"}, every: time.Second, show: showAgent},
		{key: "session", path: "session/{id}", title: "session", show: showSession},
		{key: "task", path: "task/{id}", title: "task", parts: []string{"state", "texts", "work", "line", "history"}, show: showTask},
		{key: "diff", path: "task/{id}/diff", title: "changes", show: showDiff},
		{key: "spec", path: "task/{id}/spec", title: "spec", show: showSpec},
		{key: "graph", path: "graph", name: "Graph", title: "Graph", parts: []string{"graph"}, show: showGraph},
		{key: "timeline", path: "timeline", name: "Timeline", title: "Timeline", parts: []string{"lanes"}, filters: true, every: lookAgain, show: showTimeline},
		{key: "flow", path: "flow", name: "Flow", title: "Flow", parts: []string{"states", "sprints"}, every: lookAgain, show: showFlow},
		{key: "costs", path: "costs", name: "Costs", title: "Costs", parts: []string{"numbers"}, show: showCosts},
		{key: "alarms", path: "alarms", name: "Alarms", title: "Alarms", parts: []string{"list"}, filters: true, show: showAlarms},
		{key: "log", path: "log", name: "Log", title: "Log", parts: []string{"moves"}, filters: true, show: showLog},
		{key: "steer", path: "steer", name: "Steer", title: "Steer", show: showSteer},
	}
}

// errNothing is the error of an address at which nothing is.
var errNothing = errors.New("nothing is there")

// findPage returns the page at an address, with the id in it.
func findPage(at string) (*page, string) {
	words := strings.Split(at, "/")
	for _, p := range pages() {
		id, fits := "", true
		form := strings.Split(p.path, "/")
		for i := range form {
			switch {
			case len(words) != len(form):
				fits = false
			case form[i] == "{id}" && words[i] != "":
				id = words[i]
			default:
				fits = fits && form[i] == words[i]
			}
		}
		if fits {
			return &p, id
		}
	}
	return nil, ""
}

// get answers with a page, a stream of its changes or a file.
func (s *Server) get(w http.ResponseWriter, r *http.Request, at string) {
	switch {
	case at == "events":
		s.stream(w, r)
		return
	case strings.HasPrefix(at, "static/"):
		serveFile(w, r, at)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerLimit)
	defer cancel()
	v, err := s.newVisit(r.WithContext(ctx), at, r.URL.Query())
	if err == nil {
		defer v.leave()
		err = v.load()
	}
	if err == nil && r.URL.Query().Has("json") {
		writeJSON(w, v.data)
		return
	}
	if err != nil {
		s.fail(w, v, err)
		return
	}
	v.write(w, http.StatusOK)
}

// write answers with the page.
func (v *visit) write(w http.ResponseWriter, code int) {
	text, err := v.render("base")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(text)
}

// render executes a template of the page. What comes out is safe to show.
func (v *visit) render(name string) ([]byte, error) {
	t, err := v.server.templates()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	f := &filter{to: &out}
	if err := t.ExecuteTemplate(f, name, v); err != nil {
		return nil, err
	}
	return out.Bytes(), f.Close()
}

// A problem is why a page cannot be shown, or why a form was refused.
type problem struct {
	Code   int       `json:"-"`
	Rule   flow.Rule `json:"rule"`
	Reason string    `json:"reason"`
	Hint   string    `json:"hint"`
	Back   string    `json:"-"` // the page to go on with, below the secret path

	Typed *typedForm `json:"-"` // into the form that was refused; nil if nothing
}

// fail answers with what went wrong; with an empty page where nothing is.
func (s *Server) fail(w http.ResponseWriter, v *visit, err error) {
	late := errors.Is(err, context.DeadlineExceeded) && (v == nil || v.request.Context().Err() != nil) // not a limit of a part of it
	switch {
	case late && v != nil:
		s.explain(w, v, problem{http.StatusServiceUnavailable, flow.RuleTimeLimit, fmt.Sprintf("the page was not ready after %v", answerLimit), v.command(), "", nil})
		return
	case late:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case v == nil || errors.Is(err, errNothing):
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if never, is := errors.AsType[*unread](err); is {
		s.explain(w, v, problem{http.StatusServiceUnavailable, never.why.Rule, "the board cannot be read: " + never.why.Reason, never.why.Hint, "", nil})
		return
	}
	said, code := s.Explain(err), http.StatusInternalServerError
	switch {
	case said.Rule == flow.RuleUsage:
		code = http.StatusBadRequest
	case flow.IsRefused(err), errors.Is(err, gitstore.ErrNoState):
		code = http.StatusNotFound
	}
	s.explain(w, v, problem{code, said.Rule, said.Reason, said.Hint, "", nil})
}

// command is what shows in a terminal what a page shows that takes too long.
func (v *visit) command() string {
	var id board.TaskID
	if strings.HasPrefix(v.page.path, "task/") && id.UnmarshalText([]byte(v.id)) == nil {
		return "git liza show " + string(id) + " --patch"
	}
	return "git liza status"
}

// title is the title of the page about the problem.
func (p problem) title() string {
	if p.Code == http.StatusServiceUnavailable {
		return "Unreadable"
	}
	return "Refused"
}

// explain answers with a problem.
func (s *Server) explain(w http.ResponseWriter, v *visit, p problem) {
	if v.request.URL.Query().Has("json") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(p.Code)
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": p})
		return
	}
	v.page, v.data = &page{key: "problem", title: p.title()}, p
	v.write(w, p.Code)
}

// writeJSON answers with the values of a page, as the commands print them.
func writeJSON(w http.ResponseWriter, data any) {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(map[string]any{"ok": true, "data": data}); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(plaintext.EscapeJSON(text.Bytes()))
}

// drawingSheet is the name of the style sheet of drawings.
const drawingSheet = "drawings.css"

//go:embed static templates
var files embed.FS

// kindOf is the kind of a file below static.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	}
	return "image/svg+xml"
}

// serveFile answers with a style sheet, the script or the icon. The sheet of drawings is
// that of package drawing.
func serveFile(w http.ResponseWriter, _ *http.Request, at string) {
	text, err := fs.ReadFile(files, at)
	if at == "static/"+drawingSheet {
		text, err = []byte(drawing.Styles), nil
	}
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kindOf(at))
	_, _ = w.Write(text)
}
