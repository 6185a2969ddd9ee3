package web

import (
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A visit is one request for a page.
type visit struct {
	server  *Server
	request *http.Request
	page    *page
	id      string // in the page's path
	frame   *Frame // the newest, or that of the state that ?at= names
	now     time.Time
	at      string      // ?at=, "" for now
	query   url.Values  // of the page's address, also while its changes are sent
	place   string      // of the page, below the secret path
	words   view.Filter // of what the page shows
	data    any         // what the page shows
	reader  *reader
}

// A reader reads the board for one request at a time.
type reader struct {
	clone *work.Clone
	board *board.Board
	tip   board.ObjectID
}

// newVisit begins a visit of a page; at is its address below the secret path. It waits for
// the first frame.
func (s *Server) newVisit(r *http.Request, at string, query url.Values) (*visit, error) {
	p, id := findPage(at)
	if p == nil || !isText(id) {
		return nil, errNothing
	}
	select {
	case <-s.Feed.first:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	v := &visit{server: s, request: r, page: p, id: id, now: s.Clone.Store.Now(), at: query.Get("at"), query: query, place: at}
	v.frame, _ = s.Feed.now()
	return v, nil
}

// load finds what the page shows. The visit has a reader until leave is called.
func (v *visit) load() (err error) {
	select {
	case v.reader = <-v.server.readers:
	case <-v.request.Context().Done():
		return v.request.Context().Err()
	}
	if err := checkQuery(v); err != nil {
		return err
	}
	if v.at != "" {
		if err := v.goBack(); err != nil {
			v.at = "" // links to other pages lead to where something is
			return err
		}
	}
	if v.frame.Status == nil {
		return &unread{v.frame.Broken}
	}
	if err := choose(v); err != nil {
		return err
	}
	v.data, err = v.page.show(v)
	return err
}

// checkQuery refuses an address whose query no page makes and nobody types. What is in it
// may become an argument of git.
func checkQuery(v *visit) error {
	refuse := func(reason string) error {
		return &flow.Refusal{Rule: flow.RuleUsage, Hint: "git liza help web", Reason: reason}
	}
	if _, err := url.ParseQuery(v.request.URL.RawQuery); err != nil {
		return refuse("the address cannot be read after its question mark")
	}
	for name, values := range v.query {
		for _, value := range append(values, name) {
			if !isText(value) {
				v.at = "" // links to other pages go without it
				return refuse(fmt.Sprintf("the address has a value that is no text: %.80q", value))
			}
		}
	}
	return nil
}

// isText reports whether git takes a word as an argument, and a browser shows it.
func isText(word string) bool { return utf8.ValidString(word) && !strings.ContainsRune(word, 0) }

// unread is the error of all pages while the board could never be read.
type unread struct{ why *flow.Refusal }

func (u *unread) Error() string { return u.why.Reason }

// leave gives the reader back.
func (v *visit) leave() {
	if v.reader != nil {
		v.server.readers <- v.reader
		v.reader = nil
	}
}

// clone returns the clone of this visit. It is for this visit alone, and there once look
// has succeeded.
func (v *visit) clone() (*work.Clone, error) {
	if v.reader.clone == nil {
		person := v.frame.Person
		// The readers outlive the requests that they are made in.
		c, err := v.server.Clone.As(v.server.ended, person.By, person.Generation)
		if err != nil {
			return nil, err
		}
		v.reader.clone = c
	}
	return v.reader.clone, nil
}

// look returns the state that the page shows, read for this visit alone. It may be newer
// than the frame; while the state of now cannot be read it is that of the frame.
func (v *visit) look() (view.Reading, error) {
	c, err := v.clone()
	if err != nil {
		return view.Reading{}, err
	}
	r := v.reader
	switch {
	case v.frame.Past || v.frame.Broken != nil: // then the pages stay as they were
		if r.tip != v.frame.Tip {
			r.tip = v.frame.Tip
			r.board, err = c.Store.BoardAt(r.tip)
		}
	default:
		var tip board.ObjectID
		if tip, err = c.Store.Tip(v.request.Context()); err == nil && (tip != r.tip || r.board == nil) {
			r.board, r.tip, err = c.Store.Board(v.request.Context())
		}
	}
	if err != nil {
		r.board, r.tip = nil, ""
		return view.Reading{}, err
	}
	at := v.now
	if v.frame.Past {
		at = v.frame.At
	}
	return view.Reading{Board: r.board, Tip: r.tip, At: at, Principal: v.frame.Person.Principal, Person: v.frame.Person, Local: v.frame.Local}, nil
}

// goBack makes the frame that of the state that the address names.
func (v *visit) goBack() error {
	c, err := v.clone()
	if err != nil {
		return err
	}
	tip, err := c.Store.Rev(v.request.Context(), v.at)
	if err != nil {
		return err
	}
	b, err := c.Store.BoardAt(tip)
	if err != nil {
		return err
	}
	v.reader.board, v.reader.tip = b, tip
	v.frame = frameOf(view.NewPicture(view.Reading{Board: b, Tip: tip, At: b.At(), Person: v.frame.Person}), nil, nil)
	v.frame.Past = true
	return b.Err()
}

// Body renders the page without what is around it.
func (v *visit) Body() (template.HTML, error) {
	text, err := v.execute(v.page.key)
	return template.HTML(text), err
}

// Part renders a part of the page, in the element that is replaced when the part looks
// different.
func (v *visit) Part(name string) (template.HTML, error) {
	text, err := v.execute(v.page.templateOf(name))
	return template.HTML(fmt.Sprintf(`<section class="part" id="part-%[1]s" data-part="%[1]s" data-sum="%[2]s" data-version="%[3]d">%[4]s</section>`,
		name, sumOf(text), v.frame.Version, text)), err
}

// execute executes a template; its output is filtered with the page that it goes into.
func (v *visit) execute(name string) (string, error) {
	t, err := v.server.templates()
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.ExecuteTemplate(&out, name, v)
	return out.String(), err
}

// Data is what the page shows.
func (v *visit) Data() any { return v.data }

// Frame is what is shown of the board as a whole.
func (v *visit) Frame() *Frame { return v.frame }

// Title is the title of the page.
func (v *visit) Title() string { return strings.TrimSpace(v.id + " " + v.page.title) }

// Acts reports whether the pages have forms.
func (v *visit) Acts() bool { return v.server.Act != nil && !v.frame.Past }

// Link is the address of a page or file, which stays at the state that this page shows.
func (v *visit) Link(parts ...any) string {
	at := ""
	for _, part := range parts {
		at += fmt.Sprint(part)
	}
	at, query, _ := strings.Cut(at, "?")
	words := strings.Split(strings.TrimPrefix(at, "/"), "/")
	for i := range words {
		words[i] = url.PathEscape(words[i])
	}
	if v.at != "" && !strings.HasPrefix(at, "/static/") {
		query = strings.TrimPrefix(query+"&at="+url.QueryEscape(v.at), "&")
	}
	if query != "" {
		query = "?" + query
	}
	return v.server.path + strings.Join(words, "/") + query
}

// Now is the address of this page as it is now.
func (v *visit) Now() string { return addressWith(v, "at", "") }

// addressWith returns the address of a page with other values in its query, each after its name;
// "" takes one away.
func addressWith(v *visit, pairs ...string) string {
	query := maps.Clone(v.query)
	for i := 0; i+1 < len(pairs); i += 2 {
		query.Del(pairs[i])
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	at := (&url.URL{Path: v.server.path + v.place}).EscapedPath()
	if len(query) == 0 {
		return at
	}
	return at + "?" + query.Encode()
}

// Events is the address of the stream of this page's changes, "" if there is none.
func (v *visit) Events() string {
	if v.at != "" || len(v.page.parts) == 0 {
		return ""
	}
	at := strings.TrimPrefix(v.request.URL.Path, v.server.path)
	return v.server.path + "events?page=" + url.QueryEscape(at) + "&query=" + url.QueryEscape(v.request.URL.RawQuery)
}

// Pages are the pages in the list of pages.
func (v *visit) Pages() (list []tab) {
	for _, p := range pages() {
		if p.name == "" || p.key == "steer" && !v.Acts() {
			continue
		}
		list = append(list, tab{p.name, v.Link("/" + p.path), p.key == v.page.key, p.key == "inbox"})
	}
	return list
}

// A tab is a page in the list of pages.
type tab struct {
	Name, Link string
	Current    bool
	Counts     bool // the items of the inbox stand beside it
}
