package standin

import (
	"encoding/json"
	"net/http"
)

// chat is the chat completions API of OpenAI, which many others speak: POST
// /v1/chat/completions.
var chat = api{name: "chat", read: readChat, whole: wholeChat, events: streamChat, failure: failOpenAI}

type chatRequest struct {
	Model    string
	Stream   bool
	Tools    []struct{ Function struct{ Name string } }
	Messages []struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
}

func readChat(_ *http.Request, body []byte) (Conversation, bool, error) {
	var r chatRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return Conversation{}, false, err
	}
	c := Conversation{Model: r.Model}
	for _, t := range r.Tools {
		c.Tools = append(c.Tools, t.Function.Name)
	}
	for _, m := range r.Messages {
		text := said(m.Content)
		switch m.Role {
		case "system", "developer":
			c.System = paragraph(c.System, text)
		case "tool":
			c.Messages = append(c.Messages, Message{Role: "tool", Text: text, CallID: m.ToolCallID})
		case "assistant":
			own := Message{Role: "model", Text: text}
			for _, t := range m.ToolCalls {
				call := Call{ID: t.ID, Name: t.Function.Name}
				_ = json.Unmarshal([]byte(t.Function.Arguments), &call.Input)
				own.Calls = append(own.Calls, call)
			}
			c.Messages = append(c.Messages, own)
		default:
			c.Messages = append(c.Messages, Message{Role: "user", Text: text})
		}
	}
	return c, r.Stream, nil
}

func callsChat(t Turn) (calls list) {
	for i, call := range t.Tools {
		calls = append(calls, object{"index": i, "id": call.ID, "type": "function",
			"function": object{"name": call.Name, "arguments": call.arguments()}})
	}
	return calls
}

func finishChat(t Turn) string {
	if len(t.Tools) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func usageChat(u Usage) object {
	return object{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output,
		"prompt_tokens_details": object{"cached_tokens": u.Cached}}
}

func wholeChat(c Conversation, t Turn) any {
	message := object{"role": "assistant", "content": t.Text}
	if calls := callsChat(t); calls != nil {
		message["tool_calls"] = calls
	}
	return object{"id": t.id("chat"), "object": "chat.completion", "created": 0, "model": c.Model, "usage": usageChat(t.Usage),
		"choices": list{object{"index": 0, "finish_reason": finishChat(t), "message": message}}}
}

func streamChat(c Conversation, t Turn) (events []event) {
	add := func(choices list, usage any) {
		events = append(events, event{"", object{"id": t.id("chat"), "object": "chat.completion.chunk", "created": 0, "model": c.Model,
			"choices": choices, "usage": usage}})
	}
	delta := func(d object) { add(list{object{"index": 0, "delta": d, "finish_reason": nil}}, nil) }
	delta(object{"role": "assistant", "content": t.Text})
	if calls := callsChat(t); calls != nil {
		delta(object{"tool_calls": calls})
	}
	add(list{object{"index": 0, "delta": object{}, "finish_reason": finishChat(t)}}, nil)
	add(list{}, usageChat(t.Usage))
	return append(events, event{"", "[DONE]"})
}
