package standin

import (
	"cmp"
	"encoding/json"
	"net/http"
)

// anthropic is the Messages API: POST /v1/messages.
var anthropic = api{name: "anthropic", read: readAnthropic, whole: wholeAnthropic, events: streamAnthropic, failure: failAnthropic}

type anthropicRequest struct {
	Model    string
	Stream   bool
	System   json.RawMessage
	Tools    []struct{ Name string }
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

type anthropicBlock struct {
	Type      string
	Text      string
	ID        string
	Name      string
	Input     map[string]any
	ToolUseID string `json:"tool_use_id"`
	Content   json.RawMessage
}

func readAnthropic(_ *http.Request, body []byte) (Conversation, bool, error) {
	var r anthropicRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Conversation{}, false, err
	}
	c := Conversation{Model: r.Model, System: said(r.System)}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
	for _, m := range r.Messages {
		var blocks []anthropicBlock
		if json.Unmarshal(m.Content, &blocks) != nil {
			blocks = []anthropicBlock{{Type: "text", Text: said(m.Content)}}
		}
		c.Messages = append(c.Messages, fromBlocks(m.Role, blocks)...)
	}
	return c, r.Stream, nil
}

// fromBlocks is one message of the API: its tool results are messages of
// their own here.
func fromBlocks(role string, blocks []anthropicBlock) (messages []Message) {
	own := Message{Role: "user"}
	if role == "assistant" {
		own.Role = "model"
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			own.Text = paragraph(own.Text, b.Text)
		case "tool_use":
			own.Calls = append(own.Calls, Call{ID: b.ID, Name: b.Name, Input: b.Input})
		case "tool_result":
			messages = append(messages, Message{Role: "tool", Text: said(b.Content), CallID: b.ToolUseID})
		}
	}
	if own.Text != "" || len(own.Calls) > 0 {
		messages = append(messages, own)
	}
	return messages
}

func paragraph(before, text string) string {
	if before == "" {
		return text
	}
	return before + "\n" + text
}

func usageAnthropic(u Usage) object {
	return object{"input_tokens": u.Input - u.Cached, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": 0, "output_tokens": u.Output}
}

func stopAnthropic(t Turn) string {
	if len(t.Tools) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func wholeAnthropic(c Conversation, t Turn) any {
	content := list{}
	if t.Text != "" {
		content = append(content, object{"type": "text", "text": t.Text})
	}
	for _, call := range t.Tools {
		content = append(content, object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": json.RawMessage(call.arguments())})
	}
	return object{"id": t.id("msg"), "type": "message", "role": "assistant", "model": c.Model, "content": content,
		"stop_reason": stopAnthropic(t), "stop_sequence": nil, "usage": usageAnthropic(t.Usage)}
}

func streamAnthropic(c Conversation, t Turn) (events []event) {
	add := func(name string, data object) {
		data["type"] = name
		events = append(events, event{name, data})
	}
	first := usageAnthropic(t.Usage)
	first["output_tokens"] = 1
	add("message_start", object{"message": object{"id": t.id("msg"), "type": "message", "role": "assistant", "model": c.Model,
		"content": list{}, "stop_reason": nil, "stop_sequence": nil, "usage": first}})
	index := 0
	block := func(start, delta object) {
		add("content_block_start", object{"index": index, "content_block": start})
		add("content_block_delta", object{"index": index, "delta": delta})
		add("content_block_stop", object{"index": index})
		index++
	}
	if t.Text != "" {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": t.Text})
	}
	for _, call := range t.Tools {
		block(object{"type": "tool_use", "id": call.ID, "name": call.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": call.arguments()})
	}
	add("message_delta", object{"delta": object{"stop_reason": stopAnthropic(t), "stop_sequence": nil}, "usage": usageAnthropic(t.Usage)})
	add("message_stop", object{})
	return events
}

func failAnthropic(status int, why string) any {
	kind := map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}[status]
	kind = cmp.Or(kind, "api_error")
	return object{"type": "error", "error": object{"type": kind, "message": why}, "request_id": "req_1"}
}
