package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"
)

// A session is the conversation with one agent.
type session struct {
	prompt Prompt
	env    []string
	files  files
	wire   *wire
	conn   *sdk.Connection
	record *record
	over   chan struct{}          // closed when the conversation is
	id     atomic.Pointer[string] // the agent's name for it, once it has one
}

// newSession begins to listen, and says nothing yet.
func newSession(p Prompt, env []string, root *os.Root, stdin io.WriteCloser) *session {
	s := &session{prompt: p, env: env, files: files{dir: p.Dir, root: root}, record: newRecord(p.Follow), over: make(chan struct{})}
	s.wire = newWire(s.record.garbage)
	// The SDK listens before it can be told where to log: it hears nothing until then.
	ready := make(chan struct{})
	s.conn = sdk.NewConnection(s.answer, voice{stdin, s.wire}, gated{s.wire.in, ready})
	s.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	go func() {
		<-s.over
		stdin.Close()
	}()
	return s
}

// A gated reader blocks until it is opened.
type gated struct {
	io.Reader
	open <-chan struct{}
}

func (g gated) Read(p []byte) (int, error) {
	<-g.open
	return g.Reader.Read(p)
}

// writes reports whether the agent may change files.
func (s *session) writes() bool { return !s.prompt.ReadOnly && mayWrite(s.prompt.Role) }

// hold is the conversation from the first word to the agent's answer.
func (s *session) hold(ctx context.Context) {
	defer close(s.over)
	text, err := s.ask(ctx)
	switch {
	case err == nil:
		s.record.end(text)
	case s.lost():
	default:
		s.record.end(explain(err))
	}
}

// lost reports whether a request went unanswered because the agent is gone.
func (s *session) lost() bool {
	select {
	case <-s.conn.Done():
		return true
	default:
		return s.wire.over()
	}
}

// ask leads the conversation. It returns why the agent ended its turn without
// success, "" if it succeeded.
func (s *session) ask(ctx context.Context) (failed string, err error) {
	able, err := s.greet(ctx)
	if err != nil {
		return "", err
	}
	s.record.introduced(able.AgentInfo)
	offer, err := s.open(ctx, able)
	if err != nil {
		return "", err
	}
	if err := s.choose(ctx, offer); err != nil {
		return "", err
	}
	s.record.begin(string(offer.SessionId))
	r, err := sdk.SendRequest[sdk.PromptResponse](s.conn, ctx, sdk.AgentMethodSessionPrompt,
		sdk.PromptRequest{SessionId: offer.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock(s.prompt.Text)}})
	if err != nil {
		return "", err
	}
	s.record.spent(r)
	if r.StopReason != sdk.StopReasonEndTurn {
		return "the agent stopped before the end of its turn: " + stop(r.StopReason), nil
	}
	return "", nil
}

func stop(r sdk.StopReason) string {
	switch r {
	case sdk.StopReasonMaxTokens:
		return "it has reached the limit of tokens"
	case sdk.StopReasonMaxTurnRequests:
		return "it has reached the limit of requests in a turn"
	case sdk.StopReasonRefusal:
		return "the model refused to go on"
	case sdk.StopReasonCancelled:
		return "it was called off"
	}
	return fmt.Sprintf("%q", string(r))
}

// greet agrees on the protocol and learns what the agent can. Terminals are
// not offered: a command that the agent runs itself is in its process group.
// Writing is offered in every role, since an agent that is not offered it
// writes by itself, unseen. Reading is not: gemini 0.61 takes the answer that a
// file is not there for a failure, and then cannot make one.
func (s *session) greet(ctx context.Context) (sdk.InitializeResponse, error) {
	able, err := sdk.SendRequest[sdk.InitializeResponse](s.conn, ctx, sdk.AgentMethodInitialize, sdk.InitializeRequest{
		ProtocolVersion:    sdk.ProtocolVersionNumber,
		ClientInfo:         &sdk.Implementation{Name: "git-liza", Version: "1"},
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{WriteTextFile: true}},
	})
	if err == nil && able.ProtocolVersion != sdk.ProtocolVersionNumber {
		err = fmt.Errorf("the agent speaks version %d of the protocol, git-liza version %d", able.ProtocolVersion, sdk.ProtocolVersionNumber)
	}
	return able, err
}

// open goes on with the session that is to be resumed if the agent can, and
// begins one otherwise.
func (s *session) open(ctx context.Context, able sdk.InitializeResponse) (offer sdk.NewSessionResponse, err error) {
	for range 2 {
		if offer, err = s.resume(ctx, able.AgentCapabilities); err == nil && offer.SessionId == "" {
			offer, err = sdk.SendRequest[sdk.NewSessionResponse](s.conn, ctx, sdk.AgentMethodSessionNew,
				sdk.NewSessionRequest{Cwd: s.prompt.Dir, McpServers: []sdk.McpServer{}})
		}
		if !demandsLogin(err) {
			break
		}
		if err = s.login(ctx, able.AuthMethods, err); err != nil {
			break
		}
	}
	if id := string(offer.SessionId); err == nil && id != "" {
		s.id.Store(&id)
	}
	return offer, err
}

// resume takes a session up that the agent had before. One that it does not
// know any more is no error: the result is empty then.
func (s *session) resume(ctx context.Context, able sdk.AgentCapabilities) (sdk.NewSessionResponse, error) {
	method, id := "", sdk.SessionId(s.prompt.Resume)
	switch {
	case id == "":
	case able.SessionCapabilities.Resume != nil: // without the history, which nobody reads here
		method = sdk.AgentMethodSessionResume
	case able.LoadSession:
		method = sdk.AgentMethodSessionLoad
	}
	if method == "" {
		return sdk.NewSessionResponse{}, nil
	}
	offer, err := sdk.SendRequest[sdk.NewSessionResponse](s.conn, ctx, method,
		sdk.LoadSessionRequest{SessionId: id, Cwd: s.prompt.Dir, McpServers: []sdk.McpServer{}})
	if err == nil {
		offer.SessionId = id
	} else if !demandsLogin(err) && !s.lost() {
		return sdk.NewSessionResponse{}, nil
	}
	return offer, err
}

// authRequired is the code by which an agent says that nobody is logged in.
const authRequired = -32000

func demandsLogin(err error) bool {
	var refused *sdk.RequestError
	return errors.As(err, &refused) && refused.Code == authRequired
}

// login logs in where that needs no person: with a key that is in the agent's
// environment. Otherwise it returns what was demanded, and what the agent
// offers for it.
func (s *session) login(ctx context.Context, methods []sdk.AuthMethod, demanded error) error {
	var names []string
	for _, m := range methods {
		id, name, ready := s.way(m)
		if ready {
			_, err := sdk.SendRequest[json.RawMessage](s.conn, ctx, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: id})
			return err
		}
		names = append(names, name)
	}
	what := "the agent demands a login: " + explain(demanded)
	if len(names) > 0 {
		what += "; its ways to log in: " + strings.Join(names[:min(len(names), 10)], ", ")
	}
	return errors.New(what)
}

// way is one way to log in, and whether all that it needs is in the
// environment: variables that it names or, as codex-api-key does, is named after.
func (s *session) way(m sdk.AuthMethod) (id, name string, ready bool) {
	switch {
	case m.EnvVar != nil:
		ready = len(m.EnvVar.Vars) > 0
		for _, v := range m.EnvVar.Vars {
			ready = ready && s.has(v.Name)
		}
		return m.EnvVar.Id, m.EnvVar.Name, ready
	case m.Terminal != nil:
		return m.Terminal.Id, m.Terminal.Name, false
	case m.Agent != nil:
		variable := strings.ToUpper(strings.ReplaceAll(m.Agent.Id, "-", "_"))
		return m.Agent.Id, m.Agent.Name, strings.HasSuffix(variable, "_KEY") && s.has(variable)
	}
	return "", "", false
}

func (s *session) has(variable string) bool {
	for _, entry := range s.env {
		if name, value, _ := strings.Cut(entry, "="); name == variable && value != "" {
			return true
		}
	}
	return false
}

// cancel asks the agent to end its turn.
func (s *session) cancel() {
	if id := s.id.Load(); id != nil {
		_ = s.conn.SendNotification(context.Background(), sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: sdk.SessionId(*id)})
	}
}

// explain is an error in words for people and for patterns.
func explain(err error) string {
	var refused *sdk.RequestError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	text := fmt.Sprintf("%s (code %d)", refused.Message, refused.Code)
	if refused.Data != nil {
		if data, err := json.Marshal(refused.Data); err == nil {
			text += ": " + string(data)
		}
	}
	return text
}
