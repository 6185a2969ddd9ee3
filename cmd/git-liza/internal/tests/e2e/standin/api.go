package standin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// An api is how one of the interfaces reads and answers a request. One without
// read answers with fixed.
type api struct {
	name    string
	read    func(r *http.Request, body []byte) (c Conversation, stream bool, err error)
	whole   func(Conversation, Turn) any
	events  func(Conversation, Turn) []event
	failure func(status int, why string) any
	fixed   any
}

// An event is one of a stream: a name, if the API gives it one, and data.
type event struct {
	name string
	data any
}

// object is a JSON object that is written down as it is sent.
type object = map[string]any

// list is a JSON array.
type list = []any

// route finds the interface that a request is for; without a name there is
// none.
func route(r *http.Request) api {
	path := r.URL.Path
	post := r.Method == http.MethodPost
	switch {
	case post && strings.HasSuffix(path, "/v1/messages"):
		return anthropic
	case post && strings.HasSuffix(path, "/v1/messages/count_tokens"):
		return api{name: "anthropic", fixed: object{"input_tokens": 1000}}
	case post && strings.HasSuffix(path, "/responses"):
		return responses
	case post && strings.HasSuffix(path, "/chat/completions"):
		return chat
	case post && (strings.HasSuffix(path, ":generateContent") || strings.HasSuffix(path, ":streamGenerateContent")):
		return gemini
	case post && strings.HasSuffix(path, ":countTokens"):
		return api{name: "gemini", fixed: object{"totalTokens": 1000}}
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		return api{name: "models", fixed: models}
	}
	return api{}
}

// models is a list that all the command lines can read.
var models = object{
	"object": "list", "has_more": false, "first_id": "standin", "last_id": "standin",
	"data":   list{object{"id": "standin", "object": "model", "type": "model", "display_name": "Stand-in", "created": 0, "created_at": "2026-01-01T00:00:00Z", "owned_by": "nobody"}},
	"models": list{},
}

// stream sends events as they are streamed. One that is cut ends after half of
// them, without the end that HTTP has.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, events []event, t Turn) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	if t.Cut {
		events = events[:(len(events)+1)/2]
	}
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(w, "event: %s\n", e.name)
		}
		text, ok := e.data.(string)
		if !ok {
			data, err := json.Marshal(e.data)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			text = string(data)
		}
		fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
	}
	if t.Cut {
		panic(http.ErrAbortHandler)
	}
}
