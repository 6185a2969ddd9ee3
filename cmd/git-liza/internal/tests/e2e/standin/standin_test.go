package standin_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/tests/e2e/standin"
)

func start(t *testing.T, m standin.Model) *standin.Server {
	t.Helper()
	s, err := standin.Start(m)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// conversations are the same one in the form of each API: the model called the
// shell, and its result is there.
var conversations = []struct{ api, path, body string }{
	{"anthropic", "/v1/messages", `{"model": "m", STREAM "system": [{"type": "text", "text": "be good"}], "tools": [{"name": "Bash"}],
		"messages": [{"role": "user", "content": "do it"},
		{"role": "assistant", "content": [{"type": "text", "text": "I look"}, {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}]},
		{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "a.txt"}]}]}]}`},
	{"responses", "/v1/responses", `{"model": "m", STREAM "instructions": "be good", "tools": [{"type": "function", "name": "Bash"}],
		"input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do it"}]},
		{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look"}]},
		{"type": "function_call", "call_id": "c1", "name": "Bash", "arguments": "{\"command\": \"ls\"}"},
		{"type": "function_call_output", "call_id": "c1", "output": "a.txt"}]}`},
	{"chat", "/v1/chat/completions", `{"model": "m", STREAM "tools": [{"type": "function", "function": {"name": "Bash"}}],
		"messages": [{"role": "system", "content": "be good"}, {"role": "user", "content": "do it"},
		{"role": "assistant", "content": "I look", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": "{\"command\": \"ls\"}"}}]},
		{"role": "tool", "tool_call_id": "c1", "content": "a.txt"}]}`},
	{"gemini", "/v1beta/models/m:METHOD", `{"systemInstruction": {"parts": [{"text": "be good"}]}, "tools": [{"functionDeclarations": [{"name": "Bash"}]}],
		"contents": [{"role": "user", "parts": [{"text": "do it"}]},
		{"role": "model", "parts": [{"text": "I look"}, {"functionCall": {"id": "c1", "name": "Bash", "args": {"command": "ls"}}}]},
		{"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "Bash", "response": {"output": "a.txt"}}}]}]}`},
}

// ask sends a conversation and returns the answer with what stands in it.
func ask(ctx context.Context, s *standin.Server, path, body string, stream bool) (*http.Response, string, error) {
	flag, method := "", "generateContent"
	if stream {
		flag, method = `"stream": true,`, "streamGenerateContent?alt=sse"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+strings.Replace(path, "METHOD", method, 1),
		strings.NewReader(strings.Replace(body, "STREAM", flag, 1)))
	if err != nil {
		return nil, "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response, string(text), err
}

func TestEveryAPIIsOneConversation(t *testing.T) {
	t.Parallel()
	for _, c := range conversations {
		for _, stream := range []bool{false, true} {
			t.Run(c.api+map[bool]string{true: " streams"}[stream], func(t *testing.T) {
				t.Parallel()
				s := start(t, standin.Script{{}, {Text: "there is a file", Tools: []standin.Call{{Name: "Bash", Input: map[string]any{"command": "cat a.txt"}}}}})
				response, text, err := ask(t.Context(), s, c.path, c.body, stream)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, response.StatusCode)
				require.Contains(t, text, "there is a file")
				require.Contains(t, text, "cat a.txt")
				require.Equal(t, stream, strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream"))
				requests := s.Conversations()
				require.Len(t, requests, 1)
				require.Equal(t, standin.Conversation{API: c.api, Model: "m", System: "be good", Tools: []string{"Bash"}, Messages: []standin.Message{
					{Role: "user", Text: "do it"},
					{Role: "model", Text: "I look", Calls: []standin.Call{{ID: "c1", Name: "Bash", Input: map[string]any{"command": "ls"}}}},
					{Role: "tool", Text: "a.txt", CallID: "c1"},
				}}, requests[0].Asked)
			})
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range conversations {
		t.Run(c.api, func(t *testing.T) {
			t.Parallel()
			s := start(t, standin.Script{{Status: 429, Text: "too much", RetryAfter: 20 * time.Second}})
			response, text, err := ask(t.Context(), s, c.path, c.body, true)
			require.NoError(t, err)
			require.Equal(t, 429, response.StatusCode)
			require.Equal(t, "20", response.Header.Get("Retry-After"))
			require.Contains(t, text, "too much")

			cut := start(t, standin.Script{{Text: "one half", Cut: true}})
			_, text, err = ask(t.Context(), cut, c.path, c.body, true)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.NotEmpty(t, text)
		})
	}
}

func TestHangEndsWithTheServer(t *testing.T) {
	t.Parallel()
	s, err := standin.Start(standin.Script{{Hang: true}})
	require.NoError(t, err)
	ended := make(chan error, 1)
	go func() {
		_, _, err := ask(context.Background(), s, conversations[0].path, conversations[0].body, true)
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(s.Requests()) == 1 }, time.Minute, time.Millisecond)
	require.Empty(t, ended)
	s.Close()
	require.Error(t, <-ended)
}

func TestStrays(t *testing.T) {
	t.Parallel()
	s := start(t, standin.Script{})
	proxy, err := url.Parse(s.URL)
	require.NoError(t, err)
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
	_, err = client.Get("https://elsewhere.invalid/x")
	require.ErrorContains(t, err, "Forbidden")
	response, err := client.Get("http://elsewhere.invalid/y")
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusForbidden, response.StatusCode)
	require.Equal(t, []string{"elsewhere.invalid:443", "http://elsewhere.invalid/y"}, s.Strays())
	require.Empty(t, s.Conversations())
}

func TestWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	s := start(t, standin.Script{})
	for path, want := range map[string]int{"/v1/messages": 400, "/v1/responses": 400, "/nothing": 404} {
		response, err := http.Post(s.URL+path, "application/json", bytes.NewBufferString("{"))
		require.NoError(t, err)
		response.Body.Close()
		require.Equal(t, want, response.StatusCode, path)
	}
}
