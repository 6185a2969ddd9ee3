package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// mostStreams is how many streams of events are open at once. A browser opens six
	// connections to a host, and pages need some of them.
	mostStreams = 4
	// gather is for how long changes are gathered before a page is made anew.
	gather = 50 * time.Millisecond
	// beat is how often a stream says that it lives.
	beat = 30 * time.Second
)

// An event says that a part of a page looks different.
type event struct {
	Part    string `json:"part"`
	ID      string `json:"id"` // of the element
	Version uint64 `json:"version"`
	Sum     string `json:"sum"` // of its HTML before the filter, as the element has it
	HTML    string `json:"html"`
}

// sumOf tells two renderings of a part apart.
func sumOf(text string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, text)
	return fmt.Sprintf("%016x", h.Sum64())
}

// A stream sends one page's changes to one browser. It renders what is newest when the
// browser has taken what it was sent before: a slow one misses what was between.
type stream struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	at     string
	query  url.Values
	sent   map[string]string // the sum of each part
}

// stream answers with the changes of the page that the query names, until the browser
// leaves or the server ends.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case s.streams <- struct{}{}:
		defer func() { <-s.streams }()
	default:
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	query, err := url.ParseQuery(r.URL.Query().Get("query"))
	at := r.URL.Query().Get("page")
	p, _ := findPage(at)
	if err != nil || p == nil || len(p.parts) == 0 || query.Has("at") || r.Method != http.MethodGet {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	t := &stream{s, w, r, at, query, map[string]string{}}
	if t.write(": open\n\n") == nil {
		t.follow(p)
	}
}

// follow sends the parts that look different, until the browser leaves.
func (t *stream) follow(p *page) {
	lives := time.NewTicker(beat)
	defer lives.Stop()
	var looks <-chan time.Time
	if p.every > 0 {
		ticker := time.NewTicker(p.every)
		defer ticker.Stop()
		looks = ticker.C
	}
	for {
		_, changed := t.server.Feed.now()
		began := time.Now()
		if t.send() != nil {
			return
		}
		// What costs much to render is rendered less often.
		wait := time.NewTimer(max(gather, 4*time.Since(began)))
		select {
		case <-wait.C:
		case <-t.r.Context().Done():
			wait.Stop()
			return
		}
		for waiting := true; waiting; {
			select {
			case <-changed:
				waiting = false
			case <-looks:
				waiting = false
			case <-lives.C:
				if t.write(": lives\n\n") != nil {
					return
				}
			case <-t.r.Context().Done():
				return
			}
		}
	}
}

// send sends the parts that look different from what was sent before. A page that cannot
// be shown now is left as it is.
func (t *stream) send() error {
	v, err := t.server.newVisit(t.r, t.at, t.query)
	if err != nil {
		return err
	}
	defer v.leave()
	parts := append([]string{notice}, v.page.parts...)
	if v.load() != nil {
		if t.r.Context().Err() != nil {
			return t.r.Context().Err()
		}
		parts = parts[:1] // the others stay as they are
	}
	var out bytes.Buffer
	for _, part := range parts {
		text, err := v.execute(v.page.templateOf(part))
		if err != nil {
			return err
		}
		sum := sumOf(text)
		if t.sent[part] == sum {
			continue
		}
		t.sent[part] = sum
		if err := v.announce(&out, part, sum, text); err != nil {
			return err
		}
	}
	v.leave()
	if out.Len() == 0 {
		return nil
	}
	return t.write(out.String())
}

// announce writes the event of a part that looks different.
func (v *visit) announce(out *bytes.Buffer, part, sum, text string) error {
	var shown bytes.Buffer
	f := &filter{to: &shown}
	_, _ = io.WriteString(f, text)
	_ = f.Close()
	data, err := json.Marshal(event{part, "part-" + part, v.frame.Version, sum, shown.String()})
	fmt.Fprintf(out, "event: part\nid: %d\ndata: %s\n\n", v.frame.Version, data)
	return err
}

// write sends a text. A browser that does not take it in time has left.
func (t *stream) write(text string) error {
	c := http.NewResponseController(t.w)
	if err := c.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return err
	}
	if _, err := io.WriteString(t.w, text); err != nil {
		return err
	}
	return c.Flush()
}
