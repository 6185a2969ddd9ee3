package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/git-liza/git-liza/internal/gittest"
)

// TestMain lets the test binary be an agent: the one that ACP_TEST_AGENT names.
func TestMain(m *testing.M) {
	name := os.Getenv("ACP_TEST_AGENT")
	if name == "" {
		os.Exit(gittest.Run(m, gittest.ForLimits))
	}
	if raw[name] != nil {
		raw[name]()
		return
	}
	a := &agent{name: name, called: make(chan struct{})}
	ready := make(chan struct{})
	a.conn = sdk.NewAgentSideConnection(a, os.Stdout, onRead(func(p []byte) (int, error) {
		<-ready // the SDK reads before a.conn is set
		return os.Stdin.Read(p)
	}))
	a.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	<-a.conn.Done()
	if name == "stays" {
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	}
}

// An io.Reader that calls itself.
type onRead func(p []byte) (int, error)

func (f onRead) Read(p []byte) (int, error) { return f(p) }

// An agent is made with the SDK's side for agents.
type agent struct {
	name   string
	conn   *sdk.AgentSideConnection
	called chan struct{} // closed by session/cancel
	logged bool
}

func (a *agent) Initialize(_ context.Context, r sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	able := sdk.InitializeResponse{ProtocolVersion: sdk.ProtocolVersionNumber, AuthMethods: []sdk.AuthMethod{
		{Agent: &sdk.AuthMethodAgent{Id: "browser", Name: "Log in with a browser"}},
		{Agent: &sdk.AuthMethodAgent{Id: "test-api-key", Name: "A key"}},
	}}
	switch a.name {
	case "tomorrow":
		able.ProtocolVersion = 2
	case "last-call":
		able.AgentInfo = &sdk.Implementation{Name: "OpenCode", Version: "1.18.33"}
	case "beside":
		able.AgentInfo = &sdk.Implementation{Name: "gemini-cli", Version: "0.61.0"}
	case "resumes":
		able.AgentCapabilities.SessionCapabilities.Resume = &sdk.SessionResumeCapabilities{}
	case "loads":
		able.AgentCapabilities.LoadSession = true
	case "capabilities":
		fmt.Fprintf(os.Stderr, "read %v write %v terminal %v\n", r.ClientCapabilities.Fs.ReadTextFile, r.ClientCapabilities.Fs.WriteTextFile, r.ClientCapabilities.Terminal)
	}
	return able, nil
}

func (a *agent) Authenticate(_ context.Context, r sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	a.logged = r.MethodId == "test-api-key"
	return sdk.AuthenticateResponse{}, nil
}

func (a *agent) NewSession(_ context.Context, r sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	s := sdk.NewSessionResponse{SessionId: "new-1"}
	switch a.name {
	case "locked":
		if !a.logged {
			return s, sdk.NewAuthRequired(map[string]any{"key": "none"})
		}
	case "modes":
		s.Modes = &sdk.SessionModeState{CurrentModeId: "yolo", AvailableModes: []sdk.SessionMode{{Id: "yolo", Name: "Y"}, {Id: "read-only", Name: "R"}, {Id: "default", Name: "D"}}}
		s.Models = &sdk.SessionModelState{CurrentModelId: "small", AvailableModels: []sdk.ModelInfo{{ModelId: "small", Name: "S"}, {ModelId: "large", Name: "L"}}}
	case "options":
		option := func(id string, category sdk.SessionConfigOptionCategory, values ...string) sdk.SessionConfigOption {
			var all sdk.SessionConfigSelectOptionsUngrouped
			for _, value := range values {
				all = append(all, sdk.SessionConfigSelectOption{Name: value, Value: sdk.SessionConfigValueId(value)})
			}
			o := sdk.NewSessionConfigOptionSelect(sdk.SessionConfigValueId(values[0]), sdk.SessionConfigSelectOptions{Ungrouped: &all})
			o.Select.Id, o.Select.Name, o.Select.Category = sdk.SessionConfigId(id), id, &category
			return o
		}
		s.ConfigOptions = []sdk.SessionConfigOption{option("how", sdk.SessionConfigOptionCategoryMode, "plan", "build"), option("which", sdk.SessionConfigOptionCategoryModel, "small", "large")}
	}
	if _, err := os.Stat(r.Cwd); err != nil {
		return s, err
	}
	return s, nil
}

func (a *agent) LoadSession(ctx context.Context, r sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	if r.SessionId != "old-1" {
		return sdk.LoadSessionResponse{}, errors.New("no such session")
	}
	a.say(ctx, r.SessionId, "what was said before")
	return sdk.LoadSessionResponse{}, nil
}

func (a *agent) ResumeSession(context.Context, sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	return sdk.ResumeSessionResponse{}, nil
}

func (a *agent) SetSessionMode(_ context.Context, r sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	fmt.Fprintf(os.Stderr, "mode %s\n", r.ModeId)
	return sdk.SetSessionModeResponse{}, nil
}

func (a *agent) SetSessionConfigOption(_ context.Context, r sdk.SetSessionConfigOptionRequest) (sdk.SetSessionConfigOptionResponse, error) {
	fmt.Fprintf(os.Stderr, "%s %s\n", r.ValueId.ConfigId, r.ValueId.Value)
	return sdk.SetSessionConfigOptionResponse{ConfigOptions: []sdk.SessionConfigOption{}}, nil
}

func (a *agent) Cancel(context.Context, sdk.CancelNotification) error {
	close(a.called)
	return nil
}

func (a *agent) CloseSession(context.Context, sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	return sdk.CloseSessionResponse{}, nil
}

func (a *agent) ListSessions(context.Context, sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	return sdk.ListSessionsResponse{}, nil
}

// say is a whole message.
func (a *agent) say(ctx context.Context, id sdk.SessionId, text string) {
	_ = a.conn.SessionUpdate(ctx, sdk.SessionNotification{SessionId: id, Update: sdk.UpdateAgentMessageText(text)})
}

func (a *agent) update(ctx context.Context, u sdk.SessionUpdate) {
	_ = a.conn.SessionUpdate(ctx, sdk.SessionNotification{SessionId: "new-1", Update: u})
}

var yesNo = []sdk.PermissionOption{
	{OptionId: "for-ever", Name: "Always", Kind: sdk.PermissionOptionKindAllowAlways},
	{OptionId: "once", Name: "Once", Kind: sdk.PermissionOptionKindAllowOnce},
	{OptionId: "never", Name: "No", Kind: sdk.PermissionOptionKindRejectOnce},
}

// ask asks for permission and prints the answer on standard error.
func (a *agent) ask(ctx context.Context, kind sdk.ToolKind, title string, options []sdk.PermissionOption, paths ...string) {
	a.askWith(ctx, kind, title, options, nil, paths...)
}

func (a *agent) askWith(ctx context.Context, kind sdk.ToolKind, title string, options []sdk.PermissionOption, input any, paths ...string) {
	call := sdk.ToolCallUpdate{ToolCallId: sdk.ToolCallId("call-" + title), Title: sdk.Ptr(title), RawInput: input}
	if kind != "" {
		call.Kind = sdk.Ptr(kind)
	}
	for _, path := range paths {
		call.Locations = append(call.Locations, sdk.ToolCallLocation{Path: path})
	}
	r, err := a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: "new-1", ToolCall: call, Options: options})
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "%s: error %v\n", title, err)
	case r.Outcome.Selected != nil:
		fmt.Fprintf(os.Stderr, "%s: %s\n", title, r.Outcome.Selected.OptionId)
	default:
		fmt.Fprintf(os.Stderr, "%s: cancelled\n", title)
	}
}

func (a *agent) write(ctx context.Context, path, text string) {
	_, err := a.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: "new-1", Path: path, Content: text})
	fmt.Fprintf(os.Stderr, "write %s: %v\n", filepath.Base(path), err == nil)
}

func (a *agent) read(ctx context.Context, path string) {
	r, err := a.conn.ReadTextFile(ctx, sdk.ReadTextFileRequest{SessionId: "new-1", Path: path})
	fmt.Fprintf(os.Stderr, "read %s: %v %q\n", filepath.Base(path), err == nil, r.Content)
}

func (a *agent) Prompt(ctx context.Context, r sdk.PromptRequest) (sdk.PromptResponse, error) {
	dir, _ := os.Getwd()
	in := func(name string) string { return filepath.Join(dir, name) }
	done := sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}
	switch a.name {
	case "works", "last-call":
		return a.work(ctx, r.Prompt[0].Text.Text)
	case "asks":
		a.ask(ctx, sdk.ToolKindEdit, "inside", yesNo, in("new/deep.txt"))
		a.ask(ctx, sdk.ToolKindEdit, "nowhere", yesNo)
		a.ask(ctx, sdk.ToolKindMove, "away", yesNo, in("a.txt"), "/etc/a.txt")
		a.ask(ctx, sdk.ToolKindDelete, "parent", yesNo, "../a.txt")
		a.ask(ctx, sdk.ToolKindEdit, "linked", yesNo, in("link/a.txt"))
		a.ask(ctx, sdk.ToolKindEdit, "git", yesNo, in(".git"))
		a.ask(ctx, sdk.ToolKindExecute, "command", yesNo)
		a.ask(ctx, sdk.ToolKindRead, "look", yesNo, in("a.txt"))
		a.ask(ctx, sdk.ToolKindSwitchMode, "mode", yesNo)
		a.ask(ctx, "", "unknown", yesNo)
		a.ask(ctx, "frobnicate", "odd", yesNo)
		var many []string
		for i := range 100 {
			many = append(many, in(fmt.Sprint("a", i)))
		}
		a.ask(ctx, sdk.ToolKindEdit, "hundred", yesNo, append(many, "/etc/passwd")...)
		a.askWith(ctx, sdk.ToolKindEdit, "beside", yesNo, map[string]any{"file_path": "/etc/passwd"}, in("a.txt"))
		a.askWith(ctx, "frobnicate", "target", yesNo, map[string]any{"path": in("a.txt"), "to": []any{map[string]any{"name": "../b.txt"}}})
		a.askWith(ctx, sdk.ToolKindEdit, "written", yesNo, map[string]any{"file_path": in("a.txt"), "content": "/etc/passwd"})
		a.ask(ctx, sdk.ToolKindExecute, "always-only", yesNo[:1])
		a.ask(ctx, sdk.ToolKindExecute, "no-only", yesNo[2:])
		a.ask(ctx, sdk.ToolKindExecute, "no-options", []sdk.PermissionOption{})
		for range 200 {
			a.say(ctx, r.SessionId, "word ")
		}
		a.update(ctx, sdk.StartEditToolCall("call-told", "told before", "/etc/passwd", "x"))
		a.ask(ctx, "", "told", yesNo)
	case "files":
		a.write(ctx, in("new/deep.txt"), "deep\n")
		a.read(ctx, in("new/deep.txt"))
		a.write(ctx, in("a.txt"), "shorter")
		a.read(ctx, in("a.txt"))
		for _, path := range []string{in("../outside.txt"), in("link/outside.txt"), in("dangling"), in(".git"), in("fifo"), "/etc/hosts"} {
			a.write(ctx, path, "taken over")
			a.read(ctx, path)
		}
		a.read(ctx, in("none"))
		part, err := a.conn.ReadTextFile(ctx, sdk.ReadTextFileRequest{SessionId: "new-1", Path: in("lines"), Line: sdk.Ptr(2), Limit: sdk.Ptr(2)})
		fmt.Fprintf(os.Stderr, "part %v %q\n", err == nil, part.Content)
		_, err = a.conn.CreateTerminal(ctx, sdk.CreateTerminalRequest{SessionId: "new-1", Command: "true"})
		fmt.Fprintf(os.Stderr, "terminal %v\n", err == nil)
	case "beside":
		done.Meta = map[string]any{"quota": map[string]any{"token_count": map[string]any{"input_tokens": 700, "output_tokens": 30},
			"model_usage": []map[string]any{{"model": "large"}}}}
	case "dies":
		a.say(ctx, r.SessionId, "half way")
		os.Exit(3)
	case "fails":
		return done, &sdk.RequestError{Code: 429, Message: "Rate limit exceeded. Try again later."}
	case "max_tokens", "refusal", "max_turn_requests", "cancelled", "strange":
		done.StopReason = sdk.StopReason(a.name)
	case "waits":
		fmt.Fprintln(os.Stderr, "thinking")
		<-a.called
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled, Usage: &sdk.Usage{InputTokens: 7, OutputTokens: 1, TotalTokens: 8}}, nil
	case "interrupted":
		if text := r.Prompt[0].Text.Text; text != "do it" {
			a.say(ctx, r.SessionId, "I was asked: "+text)
			return done, nil
		}
		a.update(ctx, sdk.SessionUpdate{UsageUpdate: &sdk.SessionUsageUpdate{SessionUpdate: "usage_update", Size: 100, Used: 70}})
		a.update(ctx, sdk.StartToolCall("call-1", "one"))
		a.update(ctx, sdk.StartToolCall("call-2", "two", sdk.WithStartStatus(sdk.ToolCallStatusInProgress)))
		a.update(ctx, sdk.UpdateToolCall("call-1", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)))
		a.update(ctx, sdk.UpdateToolCall("call-2", sdk.WithUpdateStatus(sdk.ToolCallStatusFailed)))
		a.update(ctx, sdk.UpdateToolCall("call-2", sdk.WithUpdateTitle("late")))
		<-a.called
		done.StopReason = sdk.StopReasonCancelled
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Fprintln(os.Stderr, "thinking")
		time.Sleep(time.Hour)
	case "silent":
		time.Sleep(time.Hour)
	case "floods":
		for i := range 20000 {
			a.say(ctx, r.SessionId, fmt.Sprintf("%d ", i))
		}
	case "hurries":
		for i := range 150 {
			a.update(ctx, sdk.StartToolCall(sdk.ToolCallId(fmt.Sprint(i)), fmt.Sprint("tool ", i)))
		}
		a.say(ctx, r.SessionId, "done")
		fmt.Printf(`{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}` + "\n")
		os.Exit(0)
	case "mutters":
		fmt.Print("no message\n\n[]\n{}\n{\"jsonrpc\":2}\n{\"method\":\"_liza/last\"}\n" + strings.Repeat("x", 9<<20) + "\n")
		fmt.Print(`{"jsonrpc":"2.0","method":"other/thing"}` + "\n" + `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n")
		fmt.Print(`{"jsonrpc":"2.0","method":"session/update","params":{"update":3}}` + "\n")
	default:
		a.say(ctx, r.SessionId, "done")
	}
	return done, nil
}

// work is a session as it should be.
func (a *agent) work(ctx context.Context, text string) (sdk.PromptResponse, error) {
	dir, _ := os.Getwd()
	a.update(ctx, sdk.UpdateAgentThoughtText("hm"))
	a.update(ctx, sdk.UpdateAgentMessageText("I was asked: "))
	a.update(ctx, sdk.UpdateAgentMessageText(text))
	file := filepath.Join(dir, "a.txt")
	a.update(ctx, sdk.StartEditToolCall("call-1", "Edit a.txt", file, "x"))
	r, err := a.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{SessionId: "new-1", Options: yesNo,
		ToolCall: sdk.ToolCallUpdate{ToolCallId: "call-1", Content: []sdk.ToolCallContent{sdk.ToolDiffContent(file, "new")}}})
	if err != nil || r.Outcome.Selected == nil || r.Outcome.Selected.OptionId != "once" {
		return sdk.PromptResponse{}, fmt.Errorf("permission: %+v %w", r, err)
	}
	if _, err := a.conn.WriteTextFile(ctx, sdk.WriteTextFileRequest{SessionId: "new-1", Path: file, Content: "new"}); err != nil {
		return sdk.PromptResponse{}, err
	}
	a.update(ctx, sdk.UpdateToolCall("call-1", sdk.WithUpdateStatus(sdk.ToolCallStatusCompleted)))
	a.update(ctx, sdk.SessionUpdate{UsageUpdate: &sdk.SessionUsageUpdate{SessionUpdate: "usage_update", Size: 100, Used: 10,
		Cost: &sdk.Cost{Amount: 0.1325, Currency: "USD"}}})
	a.update(ctx, sdk.UpdateAgentMessageText("all \x1b[31mdone\x1b[0m\n"))
	return sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn, Usage: &sdk.Usage{InputTokens: 100, OutputTokens: 20,
		CachedReadTokens: sdk.Ptr(400), ThoughtTokens: sdk.Ptr(5), TotalTokens: 525}}, nil
}

// raw are agents that do not keep to the protocol at all.
var raw = map[string]func(){
	"mute": func() { time.Sleep(time.Hour) },
	"gone": func() { os.Exit(4) },
	"noise": func() {
		for {
			if _, err := fmt.Println("noise"); err != nil {
				return
			}
		}
	},
	// It answers what is needed for a prompt, then asks and never listens.
	"nags": func() {
		in := json.NewDecoder(os.Stdin)
		for id, result := range []string{`{"protocolVersion":1}`, `{"sessionId":"new-1"}`, ""} {
			var m map[string]any
			if in.Decode(&m) != nil {
				return
			}
			if result != "" {
				fmt.Printf(`{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", id+1, result)
			}
		}
		for i := 0; ; i++ {
			if _, err := fmt.Printf(`{"jsonrpc":"2.0","id":%d,"method":"fs/read_text_file","params":{"sessionId":"new-1","path":"large"}}`+"\n", i); err != nil {
				return
			}
		}
	},
}
