package standin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
)

// gemini is the Gemini API: POST /v1beta/models/MODEL:generateContent and
// :streamGenerateContent?alt=sse.
var gemini = api{name: "gemini", read: readGemini, whole: wholeGemini, events: streamGemini, failure: failGemini}

type geminiContent struct {
	Role  string
	Parts []struct {
		Text         string
		Thought      bool
		FunctionCall *struct {
			ID, Name string
			Args     map[string]any
		}
		FunctionResponse *struct {
			ID, Name string
			Response map[string]any
		}
	}
}

type geminiRequest struct {
	Contents          []geminiContent
	SystemInstruction geminiContent
	Tools             []struct{ FunctionDeclarations []struct{ Name string } }
}

func readGemini(req *http.Request, body []byte) (Conversation, bool, error) {
	var r geminiRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Conversation{}, false, err
	}
	model, method, _ := strings.Cut(path.Base(req.URL.Path), ":")
	c := Conversation{Model: model}
	for _, p := range r.SystemInstruction.Parts {
		c.System = paragraph(c.System, p.Text)
	}
	for _, t := range r.Tools {
		for _, f := range t.FunctionDeclarations {
			c.Tools = append(c.Tools, f.Name)
		}
	}
	for _, content := range r.Contents {
		c.hear(content)
	}
	return c, method == "streamGenerateContent", nil
}

// hear adds one content: its tool results are messages of their own here.
func (c *Conversation) hear(content geminiContent) {
	own := Message{Role: "user"}
	if content.Role == "model" {
		own.Role = "model"
	}
	for _, p := range content.Parts {
		switch {
		case p.FunctionCall != nil:
			own.Calls = append(own.Calls, Call{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Input: p.FunctionCall.Args})
		case p.FunctionResponse != nil:
			c.Messages = append(c.Messages, Message{Role: "tool", Text: outputGemini(p.FunctionResponse.Response), CallID: p.FunctionResponse.ID})
		case !p.Thought && p.Text != "":
			own.Text = paragraph(own.Text, p.Text)
		}
	}
	if own.Text != "" || len(own.Calls) > 0 {
		c.Messages = append(c.Messages, own)
	}
}

// outputGemini is the text of a tool's result.
func outputGemini(response map[string]any) string {
	for _, key := range []string{"output", "error"} {
		if text, ok := response[key].(string); ok {
			return text
		}
	}
	return fmt.Sprint(response)
}

func wholeGemini(c Conversation, t Turn) any {
	parts := list{}
	if t.Text != "" {
		parts = append(parts, object{"text": t.Text})
	}
	for _, call := range t.Tools {
		parts = append(parts, object{"functionCall": object{"id": call.ID, "name": call.Name, "args": json.RawMessage(call.arguments())}})
	}
	u := t.Usage
	return object{"modelVersion": c.Model, "responseId": t.id("r"),
		"candidates": list{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": parts}}},
		"usageMetadata": object{"promptTokenCount": u.Input, "cachedContentTokenCount": u.Cached, "candidatesTokenCount": u.Output,
			"totalTokenCount": u.Input + u.Output}}
}

func streamGemini(c Conversation, t Turn) []event {
	first := object{"modelVersion": c.Model, "responseId": t.id("r"),
		"candidates": list{object{"index": 0, "content": object{"role": "model", "parts": list{object{"text": t.Text}}}}}}
	rest := t
	rest.Text = ""
	if t.Text == "" {
		return []event{{"", wholeGemini(c, t)}}
	}
	return []event{{"", first}, {"", wholeGemini(c, rest)}}
}

func failGemini(status int, why string) any {
	name := map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}[status]
	name = cmp.Or(name, "INTERNAL")
	return object{"error": object{"code": status, "message": why, "status": name}}
}
