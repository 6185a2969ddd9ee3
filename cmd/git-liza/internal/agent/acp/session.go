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

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// A session is the conversation with one agent.
type session struct {
	prompt Prompt
	env    []string
	files  files
	wire   *wire
	conn   *sdk.Connection
	record *record
	over   chan struct{}          // closed when the conversation is over
	id     atomic.Pointer[string] // the agent's id of it, once it has one
	next   chan string            // what the agent's next turn begins with
}

// newSession begins to listen, and sends nothing yet.
func newSession(p Prompt, env []string, root *os.Root, stdin io.WriteCloser) *session {
	s := &session{prompt: p, env: env, files: files{dir: p.Dir, root: root}, record: newRecord(p.Follow), over: make(chan struct{}), next: make(chan string, 1)}
	s.wire = newWire(s.record.garbage)
	// The SDK listens before its logger can be set. It gets no input until then.
	ready := make(chan struct{})
	s.conn = sdk.NewConnection(s.answer, agentWriter{stdin, s.wire}, gatedReader{s.wire.in, ready})
	s.conn.SetLogger(slog.New(slog.DiscardHandler))
	close(ready)
	go func() {
		<-s.over
		stdin.Close()
	}()
	return s
}

// A gatedReader reader blocks until ready is closed.
type gatedReader struct {
	io.Reader
	open <-chan struct{}
}

func (g gatedReader) Read(p []byte) (int, error) {
	<-g.open
	return g.Reader.Read(p)
}

// converse leads the conversation from the first message to the agent's answer.
func (s *session) converse(ctx context.Context) {
	defer close(s.over)
	text, err := s.ask(ctx)
	switch {
	case err == nil:
		s.record.end(text)
	case s.isGone():
	default:
		s.record.end(explain(err))
	}
}

// isGone reports whether a request got no answer because the agent has ended.
func (s *session) isGone() bool {
	select {
	case <-s.conn.Done():
		return true
	default:
		return s.wire.over()
	}
}

// ask sends the requests of the conversation in order. It returns why the agent ended
// its turn without success, "" if it succeeded.
func (s *session) ask(ctx context.Context) (failed string, err error) {
	able, err := s.agreeOnProtocol(ctx)
	if err != nil {
		return "", err
	}
	s.record.noteAgent(able.AgentInfo)
	offer, err := s.openSession(ctx, able)
	if err != nil {
		return "", err
	}
	if err := s.chooseSettings(ctx, offer); err != nil {
		return "", err
	}
	s.record.begin(string(offer.SessionId))
	for text := s.prompt.Text; ; {
		r, err := sdk.SendRequest[sdk.PromptResponse](s.conn, ctx, sdk.AgentMethodSessionPrompt,
			sdk.PromptRequest{SessionId: offer.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
		if err != nil {
			return "", err
		}
		s.record.noteUsage(r)
		if r.StopReason == sdk.StopReasonEndTurn {
			return "", nil
		}
		if text = s.nextMessage(r); text == "" {
			return "the agent stopped before the end of its turn: " + stop(r.StopReason), nil
		}
	}
}

// nextMessage is what the agent is told after a turn that was called off for it, "" if
// there is nothing.
func (s *session) nextMessage(r sdk.PromptResponse) string {
	select {
	case text := <-s.next:
		if r.StopReason == sdk.StopReasonCancelled {
			return text
		}
	default:
	}
	return ""
}

// takeMessages calls off the agent's turn for each message, until the conversation is over.
func (s *session) takeMessages() {
	for {
		select {
		case text := <-s.prompt.Messages:
			s.next <- text
			s.cancel()
		case <-s.over:
			return
		}
	}
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

// agreeOnProtocol agrees on the protocol's version and learns what the agent can do. It offers no
// terminals, so that a command stays in the agent's process group. It offers writing to
// every role, since an agent without the offer writes by itself, unseen. It does not
// offer reading: gemini 0.61 takes the answer that a file does not exist for a failure,
// and then cannot make the file.
func (s *session) agreeOnProtocol(ctx context.Context) (sdk.InitializeResponse, error) {
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

// openSession continues the session that is to be resumed if the agent can, and begins one
// otherwise.
func (s *session) openSession(ctx context.Context, able sdk.InitializeResponse) (offer sdk.NewSessionResponse, err error) {
	for range 2 {
		if offer, err = s.resumeSession(ctx, able.AgentCapabilities); err == nil && offer.SessionId == "" {
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

// resumeSession continues an earlier session of the agent. If the agent does not know it any
// more, the result is empty and there is no error.
func (s *session) resumeSession(ctx context.Context, able sdk.AgentCapabilities) (sdk.NewSessionResponse, error) {
	method, id := "", sdk.SessionId(s.prompt.Resume)
	switch {
	case id == "":
	case able.SessionCapabilities.Resume != nil: // without the history, which is not used here
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
	} else if !demandsLogin(err) && !s.isGone() {
		return sdk.NewSessionResponse{}, nil
	}
	return offer, err
}

// authRequired is the code of an agent's error that demands a login.
const authRequired = -32000

func demandsLogin(err error) bool {
	var refused *sdk.RequestError
	return errors.As(err, &refused) && refused.Code == authRequired
}

// login logs in if that needs no person: with a key in the agent's environment.
// Otherwise it returns the error that demanded the login, with the ways that the agent
// offers.
func (s *session) login(ctx context.Context, methods []sdk.AuthMethod, demanded error) error {
	var names []string
	for _, m := range methods {
		id, name, ready := s.loginWay(m)
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

// loginWay returns a way to log in, and whether the environment has all that it needs: the
// variables that it names, or the variable that it is named after, as codex-api-key is.
func (s *session) loginWay(m sdk.AuthMethod) (id, name string, ready bool) {
	switch {
	case m.EnvVar != nil:
		ready = len(m.EnvVar.Vars) > 0
		for _, v := range m.EnvVar.Vars {
			ready = ready && proc.Value(s.env, v.Name) != ""
		}
		return m.EnvVar.Id, m.EnvVar.Name, ready
	case m.Terminal != nil:
		return m.Terminal.Id, m.Terminal.Name, false
	case m.Agent != nil:
		variable := strings.ToUpper(strings.ReplaceAll(m.Agent.Id, "-", "_"))
		return m.Agent.Id, m.Agent.Name, strings.HasSuffix(variable, "_KEY") && proc.Value(s.env, variable) != ""
	}
	return "", "", false
}

// cancel asks the agent to end its turn.
func (s *session) cancel() {
	if id := s.id.Load(); id != nil {
		_ = s.conn.SendNotification(context.Background(), sdk.AgentMethodSessionCancel, sdk.CancelNotification{SessionId: sdk.SessionId(*id)})
	}
}

// explain returns an error in words for people, which the provider's patterns match
// too.
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
