// Package mcp serves commands as tools of the Model Context Protocol, for
// agents without a shell: over one pair of streams to one client, which may
// call several at once. It knows the protocol and the form of arguments. Its
// caller decides what a tool does and which roles get it.
package mcp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Effect is what a tool does to the blackboard. Clients ask their user for
// permission by it.
type Effect uint8

// The effects of tools.
const (
	Reads  Effect = iota // changes nothing
	Adds                 // adds to the board, or advances work
	Undoes               // ends or replaces something on the board
)

// A Tool is a command that clients may call.
type Tool struct {
	Name   string
	About  string // what it does and when to use it
	Effect Effect
	Input  func() any // a pointer to a struct whose fields are the arguments
	// Kinds are what the argument kind can be, of a tool that has it: each has
	// arguments of its own, and Input is nil.
	Kinds []Kind
	// Call runs the tool. tell sends lines about progress to the waiting
	// client.
	Call func(ctx context.Context, input any, tell func(string)) Answer
}

// A Kind is one of the things that a tool does.
type Kind struct {
	Name  string
	Input func() any
}

// An Answer is the result of a call.
type Answer struct {
	Text   string // for people, and for models that see no more
	Data   any    // an object
	Told   string // lines beside it
	Failed bool
}

// A Resource is a document that clients may read, or several of one form.
type Resource struct {
	Name, About string
	URI         string                                                         // a name in braces stands for a variable part
	Restless    bool                                                           // it changes with every change of the board
	Read        func(ctx context.Context, uri string) (text string, err error) // the error is [ErrNotFound] if there is no such resource
}

// ErrNotFound is the error of a resource that does not exist.
var ErrNotFound = errors.New("not found")

// A Prompt is a text that clients may begin a conversation with.
type Prompt struct {
	Name, About string
	Task        bool // it needs the id of a task
	Text        func(ctx context.Context, task string) (string, error)
}

// A Server is the tools, resources and prompts that are served.
type Server struct {
	Version      string
	Instructions string // what a client tells its model about the server
	Tools        []Tool
	Resources    []Resource
	Prompts      []Prompt
	// Changes begins to watch the source of the resources, until ctx is done.
	// next waits for its next change and returns false when ctx is done.
	Changes func(ctx context.Context) (next func() bool, err error)
}

// Serve answers one client until it closes its end, which is no error, or ctx
// is done. Nothing but the protocol is written to out; errors go to log.
func (s Server) Serve(ctx context.Context, in io.Reader, out, log io.Writer) error {
	lists := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Resources: &sdk.ResourceCapabilities{}} // they are fixed
	heard := &subscriptions{Server: s, serving: ctx, last: map[string]string{}}
	server := sdk.NewServer(&sdk.Implementation{Name: "git-liza", Title: "git liza", Version: s.Version}, &sdk.ServerOptions{
		Instructions: s.Instructions, Capabilities: lists, SubscribeHandler: heard.subscribe, UnsubscribeHandler: heard.unsubscribe,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	heard.updated = server.ResourceUpdated
	for _, t := range s.Tools {
		server.AddTool(t.toSDK(), t.handler(ctx))
	}
	for _, r := range s.Resources {
		r.add(server)
	}
	for _, p := range s.Prompts {
		p.add(server)
	}
	lines := &shared{out: out}
	err := server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(&screen{in: bufio.NewReader(in), out: lines}), Writer: lines})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// toSDK returns the description of the tool for clients.
func (t Tool) toSDK() *sdk.Tool {
	no, ends := false, t.Effect == Undoes
	hints := &sdk.ToolAnnotations{ReadOnlyHint: t.Effect == Reads, OpenWorldHint: &no, IdempotentHint: t.Effect == Reads}
	if t.Effect != Reads { // of the others the hint says nothing
		hints.DestructiveHint = &ends
	}
	return &sdk.Tool{Name: t.Name, Description: t.About, Annotations: hints, InputSchema: t.schema()}
}

// handler calls the tool. The call ends when the client leaves or cancels, and
// when the server ends. Wrong arguments give an answer that a model can read,
// not an error of the protocol.
func (t Tool) handler(serving context.Context) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(serving, cancel)()
		input, err := t.decode(req.Params.Arguments)
		if err != nil {
			return result(Answer{Failed: true, Text: "wrong arguments: " + err.Error(), Data: map[string]any{
				"outcome": "usage", "rule": "usage", "reason": err.Error(), "hint": "tools/list describes the arguments of " + t.Name}})
		}
		return result(t.Call(ctx, input, teller(ctx, req)))
	}
}

// teller returns a function that sends progress to a client that has asked
// for it.
func teller(ctx context.Context, req *sdk.CallToolRequest) func(string) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func(string) {}
	}
	step := 0.0
	return func(line string) {
		step++
		// The context already ends the call of a client that has left.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: step, Message: line})
	}
}

// result converts an answer to the protocol's form. An answer without text
// gets its data as text, for clients that show models only text. One with lines beside it
// is text alone, because some clients show models no text where there are data.
func result(a Answer) (*sdk.CallToolResult, error) {
	data, err := json.Marshal(a.Data)
	if err != nil {
		return nil, err
	}
	text := cmp.Or(a.Text, string(data))
	if a.Told != "" {
		return &sdk.CallToolResult{IsError: a.Failed, Content: []sdk.Content{&sdk.TextContent{Text: strings.TrimSuffix(text, "\n") + "\n" + a.Told}}}, nil
	}
	return &sdk.CallToolResult{IsError: a.Failed, StructuredContent: json.RawMessage(data), Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
}

func (r Resource) add(server *sdk.Server) {
	read := func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		text, err := r.Read(ctx, req.Params.URI)
		if errors.Is(err, ErrNotFound) {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: text}}}, nil
	}
	if strings.Contains(r.URI, "{") {
		server.AddResourceTemplate(&sdk.ResourceTemplate{Name: r.Name, Description: r.About, URITemplate: r.URI, MIMEType: "application/json"}, read)
		return
	}
	server.AddResource(&sdk.Resource{Name: r.Name, Description: r.About, URI: r.URI, MIMEType: "application/json"}, read)
}

func (p Prompt) add(server *sdk.Server) {
	prompt := &sdk.Prompt{Name: p.Name, Description: p.About}
	prompt.Arguments = []*sdk.PromptArgument{{Name: "task", Description: "The id of the task.", Required: p.Task}}
	server.AddPrompt(prompt, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		text, err := p.Text(ctx, req.Params.Arguments["task"])
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return &sdk.GetPromptResult{Description: p.About, Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}, nil
	})
}
