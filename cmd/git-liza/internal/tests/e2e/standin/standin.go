// Package standin stands in for the models behind agents' command lines: one
// server on loopback that speaks the Anthropic Messages API, the OpenAI
// Responses and chat completions APIs and the Gemini API, streaming or not.
//
// What it answers is decided by a [Model], which sees the conversation in one
// form whatever the API. It stands for the language model and nothing else: the
// command line, its tools and its errors are real. It records every request,
// also those that are none of its own and those that ask it, as a proxy, for
// another host, so that a test can tell that no network was used. No key is
// checked and nothing is kept.
package standin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Server is a stand-in that runs.
type Server struct {
	URL string // such as http://127.0.0.1:41234

	model Model
	http  *http.Server
	stop  chan struct{} // closed by Close: what hangs ends
	done  chan struct{} // closed when the server has ended

	answers  atomic.Int64
	mu       sync.Mutex
	requests []Request
}

// A Request is one that came.
type Request struct {
	API    string // anthropic, responses, chat or gemini; "" for what is none of these
	Method string
	Path   string // with the query; of a stray request the whole URL or host
	Stray  bool   // for another host: it came because the stand-in is the proxy
	Asked  Conversation
	Answer Turn
}

// Start begins to serve on a port of loopback that is free. Close ends it.
func Start(m Model) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String(), model: m, stop: make(chan struct{}), done: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Close ends the server and every request that it is busy with.
func (s *Server) Close() {
	close(s.stop)
	s.http.Close()
	<-s.done
}

// Requests are those that came so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Conversations are the requests that a model was asked with, oldest first.
func (s *Server) Conversations() []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Asked.Model == "" })
}

// Strays are the hosts and addresses elsewhere that were asked for.
func (s *Server) Strays() (urls []string) {
	for _, r := range s.Requests() {
		if r.Stray {
			urls = append(urls, r.Path)
		}
	}
	return urls
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
}

// ServeHTTP answers one request; it is what the server does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		s.record(Request{Method: r.Method, Path: strings.TrimPrefix(r.URL.String(), "//"), Stray: true})
		http.Error(w, "the stand-in is no way to other hosts", http.StatusForbidden)
		return
	}
	a := route(r)
	if a.name == "" {
		s.record(Request{Method: r.Method, Path: r.URL.RequestURI()})
		http.Error(w, `{"error":{"message":"the stand-in does not know this"}}`, http.StatusNotFound)
		return
	}
	if a.read == nil {
		s.record(Request{API: a.name, Method: r.Method, Path: r.URL.RequestURI()})
		reply(w, http.StatusOK, a.fixed)
		return
	}
	if err := s.converse(w, r, a); err != nil {
		reply(w, http.StatusBadRequest, a.failure(http.StatusBadRequest, err.Error()))
	}
}

// converse asks the model and answers as the API does.
func (s *Server) converse(w http.ResponseWriter, r *http.Request, a api) error {
	const most = 64 << 20
	body, err := io.ReadAll(io.LimitReader(r.Body, most))
	if err != nil {
		return err
	}
	asked, stream, err := a.read(r, body)
	if err != nil {
		return err
	}
	if asked.Model == "" {
		return errors.New("no model is named")
	}
	asked.API = a.name
	turn := s.model.Next(asked)
	turn.fill(asked, s.answers.Add(1))
	s.record(Request{API: a.name, Method: r.Method, Path: r.URL.RequestURI(), Asked: asked, Answer: turn})
	switch {
	case turn.Hang:
		s.hang(r)
	case turn.Status != 0:
		if turn.RetryAfter > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int(turn.RetryAfter.Seconds())))
		}
		reply(w, turn.Status, a.failure(turn.Status, turn.Text))
	case stream:
		s.stream(w, r, a.events(asked, turn), turn)
	default:
		reply(w, http.StatusOK, a.whole(asked, turn))
	}
	return nil
}

// hang answers nothing until the client goes away or the server ends.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.stop:
	}
	panic(http.ErrAbortHandler)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
