// Package web shows a blackboard in a browser of this machine: pages made of the
// values of package view, rendered on this side, live by server-sent events and
// readable without a script.
//
// Whoever can read a page has opened it with a token that is good once, below a path
// that nobody can guess. Nothing is written but by a form that this program made, sent
// from its own page by a process of a person. What is shown was written by others: it
// reaches a browser as text alone.
package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// Options say where a server listens and what it may do.
type Options struct {
	Addr  string   // such as 127.0.0.1:0; port 0 is any free one
	Hosts []string // names by which browsers may ask for it beside its address
	Base  string   // the beginning of all paths, such as /liza/; "" and / are none

	// Act makes the move that a form asks for, as the command that it names. Nil: the pages
	// change nothing.
	Act func(context.Context, Deed) (said string, refused *flow.Refusal)
	// TrustPeers takes forms on a system that does not tell which process sent them.
	TrustPeers bool

	// Explain returns what a command says of an error, and the command to type next.
	Explain func(error) *flow.Refusal

	Clone *work.Clone // that is shown; the server reads by copies of it
	// Output returns what the last session of an agent printed, for people; "" if nothing
	// is kept here.
	Output func(view.Agent) string
	// Said returns what a session printed in a format, for people.
	Said func(format string, output []byte) string
}

// A Server serves the pages of one blackboard.
type Server struct {
	Options
	Feed Feed // of what the pages show

	listener  net.Listener
	bound     netip.AddrPort
	path      string // below which all pages lie, from the base to the last slash
	openings  openings
	forms     forms
	readers   chan *reader
	streams   chan struct{} // has an element for each open stream of events
	acting    sync.Mutex    // one move at a time
	now, then chronicle     // of the board, and of the last state of the past that was shown
	histories histories
	templates func() (*template.Template, error)
	ended     context.Context
}

// mostReaders is how many requests read the board at once.
const mostReaders = 4

// Listen binds the address of a server. The refusal of a taken port names who has it.
func Listen(o Options) (*Server, error) {
	if o.Act != nil && !proc.SeesPeers && !o.TrustPeers {
		return nil, &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza web --act --trust-peers",
			Reason: "this system does not tell which process sends a form, and an agent's could: trust all processes of this machine, or read only"}
	}
	if o.TrustPeers && (proc.SeesPeers || o.Act == nil) {
		return nil, &flow.Refusal{Rule: flow.RuleUsage, Hint: "git liza help web", Reason: "--trust-peers is for forms on systems that do not tell who sends them: leave it out"}
	}
	base, err := basePath(o.Base)
	if err != nil {
		return nil, err
	}
	l, err := listenAt(o.Addr, o.Hosts)
	if err != nil {
		return nil, err
	}
	bound, err := netip.ParseAddrPort(l.Addr().String())
	if err != nil {
		l.Close()
		return nil, err
	}
	o.Base = base
	s := &Server{Options: o, listener: limitConnections(l), bound: bound, path: base + "s/" + random(pathSize) + "/",
		readers: make(chan *reader, mostReaders), streams: make(chan struct{}, mostStreams)}
	for range mostReaders {
		s.readers <- &reader{}
	}
	s.templates = sync.OnceValues(func() (*template.Template, error) {
		return template.New("").Funcs(s.templateFuncs()).ParseFS(files, "templates/*.html")
	})
	s.Feed.begin(o.Explain)
	return s, nil
}

// basePath returns the beginning of all paths, with a slash at both ends.
func basePath(given string) (string, error) {
	base := "/" + strings.Trim(given, "/") + "/"
	if base == "//" {
		return "/", nil
	}
	if at, err := url.Parse(base); err != nil || at.Path != base || at.RawPath != "" || strings.Contains(base, "//") || strings.Contains(base, "/.") || len(base) > 200 {
		return "", &flow.Refusal{Rule: flow.RuleUsage, Hint: "git liza web --base /liza/", Reason: fmt.Sprintf("--base takes the beginning of a path, such as /liza/, not %q", board.Excerpt(given, 80))}
	}
	return base, nil
}

// URL returns a new address that opens the pages once.
func (s *Server) URL() string {
	return "http://" + s.bound.String() + s.Base + "open/" + s.openings.add()
}

// Serve answers requests until ctx is done. It ends open streams, and waits a moment for
// other answers.
func (s *Server) Serve(ctx context.Context) error {
	s.ended = ctx
	server := &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: readLimit, ReadTimeout: readLimit, WriteTimeout: writeLimit,
		IdleTimeout: readLimit, MaxHeaderBytes: mostHeaders, ErrorLog: log.New(io.Discard, "", 0), BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
		ConnState: noteState}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(last) != nil {
			server.Close()
		}
	}()
	err := server.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		<-stopped
		return nil
	}
	return err
}

// The bounds of a request and its answer.
const (
	mostHeaders = 16 << 10
	mostBody    = 64 << 10
	readLimit   = 10 * time.Second
	writeLimit  = 30 * time.Second
	answerLimit = writeLimit - 5*time.Second // for the work on an answer, so that it is still taken
)

// policy is what a page may load and where it may send forms.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// setHeaders sets the headers of every answer.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// serve answers one request: it refuses what does not come from where a browser of the
// person would be, and hands the rest to the pages.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if c, ok := r.Context().Value(connectionKey{}).(*limitedConn); ok {
		c.setQuiet(false) // the head of a request has arrived
	}
	setHeaders(w.Header())
	if r.Method != http.MethodPost && r.ContentLength == 0 {
		// Reading may take longer than a request may take to arrive.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	if !s.isAsked(r.Host) {
		w.WriteHeader(http.StatusMisdirectedRequest)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, s.Base+"open/"); ok {
		s.open(w, r, rest)
		return
	}
	n := min(len(s.path), len(r.URL.Path))
	if !sameSecret(r.URL.Path[:n], s.path) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	at := r.URL.Path[n:]
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.get(w, r, at)
	case r.Method == http.MethodPost && s.Act != nil:
		s.post(w, r, at)
	default:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// isAsked reports whether a request may name this host.
func (s *Server) isAsked(host string) bool { return host == s.bound.String() || s.isNamed(host) }

// isNamed reports whether a host is one of those that were named, with our port, that of a
// proxy before us or none.
func (s *Server) isNamed(host string) bool {
	return slices.ContainsFunc(s.Hosts, func(name string) bool {
		return strings.EqualFold(host, name) || strings.EqualFold(host, fmt.Sprintf("%s:%d", name, s.bound.Port()))
	})
}

// isOurs reports whether a request comes from a page of ours. A proxy before us may speak
// https.
func (s *Server) isOurs(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) != 1 {
		return false
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return false
	}
	return origins[0] == "http://"+r.Host || s.isNamed(r.Host) && origins[0] == "https://"+r.Host
}

// open lets a browser in whose person has the token.
func (s *Server) open(w http.ResponseWriter, r *http.Request, token string) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	known, opens := s.openings.use(token)
	switch {
	case !known:
		w.WriteHeader(http.StatusNotFound)
	case !opens:
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, "This address was opened already. Press Enter in the terminal of git liza web for another.\n")
	default:
		w.Header().Set("Location", s.path)
		w.WriteHeader(http.StatusSeeOther)
	}
}
