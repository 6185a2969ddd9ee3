package standin

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// responses is the OpenAI Responses API: POST /v1/responses.
var responses = api{name: "responses", read: readResponses, whole: wholeResponses, events: streamResponses, failure: failOpenAI}

type responsesRequest struct {
	Model        string
	Stream       bool
	Instructions string
	Tools        []responsesTool
	Input        json.RawMessage
}

// A responsesTool is a tool, or a namespace with the tools of an MCP server.
type responsesTool struct {
	Type, Name string
	Tools      []struct{ Name string }
}

type responsesItem struct {
	Type      string
	Namespace string
	Role      string
	Content   json.RawMessage
	CallID    string `json:"call_id"`
	Name      string
	Arguments string
	Input     string
	Output    json.RawMessage
}

func readResponses(_ *http.Request, body []byte) (Conversation, bool, error) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Conversation{}, false, err
	}
	c := Conversation{Model: r.Model, System: r.Instructions}
	for _, t := range r.Tools {
		t.Name = cmp.Or(t.Name, t.Type)
		c.Tools = append(c.Tools, t.Name)
		for _, inner := range t.Tools {
			c.Tools = append(c.Tools, t.Name+"/"+inner.Name)
		}
	}
	var items []responsesItem
	if json.Unmarshal(r.Input, &items) != nil {
		items = []responsesItem{{Type: "message", Role: "user", Content: r.Input}}
	}
	for _, item := range items {
		c.take(item)
	}
	return c, r.Stream, nil
}

// take adds an item. Calls of one turn are items that follow each other.
func (c *Conversation) take(item responsesItem) {
	switch item.Type {
	case "message", "":
		switch item.Role {
		case "assistant":
			c.model().Text = said(item.Content)
		case "system", "developer":
			c.System = paragraph(c.System, said(item.Content))
		default:
			c.Messages = append(c.Messages, Message{Role: "user", Text: said(item.Content)})
		}
	case "function_call":
		call := Call{ID: item.CallID, Name: item.Name}
		if item.Namespace != "" {
			call.Name = item.Namespace + "/" + item.Name
		}
		_ = json.Unmarshal([]byte(item.Arguments), &call.Input)
		m := c.model()
		m.Calls = append(m.Calls, call)
	case "custom_tool_call":
		m := c.model()
		m.Calls = append(m.Calls, Call{ID: item.CallID, Name: item.Name, Raw: item.Input})
	case "function_call_output", "custom_tool_call_output":
		c.Messages = append(c.Messages, Message{Role: "tool", Text: said(item.Output), CallID: item.CallID})
	}
}

// model is the message of the model's present turn.
func (c *Conversation) model() *Message {
	if n := len(c.Messages); n == 0 || c.Messages[n-1].Role != "model" {
		c.Messages = append(c.Messages, Message{Role: "model"})
	}
	return &c.Messages[len(c.Messages)-1]
}

func itemsResponses(t Turn) (items list) {
	if t.Text != "" {
		items = append(items, object{"type": "message", "id": t.id("msg"), "role": "assistant", "status": "completed",
			"content": list{object{"type": "output_text", "text": t.Text, "annotations": list{}}}})
	}
	for _, call := range t.Tools {
		if call.Raw != "" {
			items = append(items, object{"type": "custom_tool_call", "id": "ctc_" + call.ID, "call_id": call.ID, "name": call.Name,
				"input": call.Raw, "status": "completed"})
			continue
		}
		item := object{"type": "function_call", "id": "fc_" + call.ID, "call_id": call.ID, "name": call.Name,
			"arguments": call.arguments(), "status": "completed"}
		if namespace, name, ok := strings.Cut(call.Name, "/"); ok {
			item["namespace"], item["name"] = namespace, name
		}
		items = append(items, item)
	}
	return items
}

func wholeResponses(c Conversation, t Turn) any {
	u := t.Usage
	return object{"id": t.id("resp"), "object": "response", "created_at": 0, "status": "completed", "model": c.Model,
		"output": itemsResponses(t), "usage": object{"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.Cached},
			"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": u.Input + u.Output}}
}

func streamResponses(c Conversation, t Turn) (events []event) {
	add := func(name string, data object) {
		data["type"], data["sequence_number"] = name, len(events)
		events = append(events, event{name, data})
	}
	add("response.created", object{"response": object{"id": t.id("resp"), "object": "response", "created_at": 0,
		"status": "in_progress", "model": c.Model, "output": list{}}})
	for i, item := range itemsResponses(t) {
		add("response.output_item.added", object{"output_index": i, "item": begun(item.(object))})
		if item.(object)["type"] == "message" {
			add("response.output_text.delta", object{"output_index": i, "content_index": 0, "item_id": t.id("msg"), "delta": t.Text})
		}
		add("response.output_item.done", object{"output_index": i, "item": item})
	}
	add("response.completed", object{"response": wholeResponses(c, t)})
	return events
}

// begun is an item as it is when it is added: without what it will hold.
func begun(item object) object {
	first := object{}
	for key, value := range item {
		first[key] = value
	}
	first["status"] = "in_progress"
	for key, none := range map[string]any{"content": list{}, "arguments": "", "input": ""} {
		if _, has := first[key]; has {
			first[key] = none
		}
	}
	return first
}

func failOpenAI(status int, why string) any {
	kind, code := "invalid_request_error", ""
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_api_key"
	case status == http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case status >= http.StatusInternalServerError:
		kind, code = "server_error", "server_error"
	}
	return object{"error": object{"message": why, "type": kind, "param": nil, "code": code}}
}
