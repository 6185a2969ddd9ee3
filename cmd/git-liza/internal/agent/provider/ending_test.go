package provider_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/stretchr/testify/require"
)

// Records of the claude family.
const (
	began   = `{"type":"system","subtype":"init","session_id":"0000","model":"m"}`
	words   = `{"type":"assistant","session_id":"0000","message":{"model":"m","role":"assistant","content":[{"type":"text","text":"done"}]}}`
	success = `{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"0000","num_turns":1,"usage":{"input_tokens":10,"output_tokens":2}}`
	denied  = `{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"0000","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"git push"}}]}`
	limit   = `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500","session_id":"0000"}`
)

func records(t *testing.T, script string, edit func(*provider.Spawn)) provider.Ending {
	t.Helper()
	p, err := provider.Builtin().Find("exec:"+script, "")
	require.NoError(t, err)
	p.Output = "claude"
	s := provider.Spawn{Agent: "coder-1", Dir: t.TempDir(), Environ: os.Environ()}
	if edit != nil {
		edit(&s)
	}
	ending, err := p.Run(context.Background(), s)
	require.NoError(t, err)
	return ending
}

// A writer calls itself when something is written.
type writer func()

func (w writer) Write(p []byte) (int, error) { w(); return len(p), nil }

// took is how long a program took, which is the machine's affair.
var took = regexp.MustCompile(`after \d+s`)

// The records decide how a session ended, whatever the exit code.
func TestEndingByRecords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script  string
		outcome provider.Outcome
		text    string
	}{
		"success":               {"echo '" + began + "'; echo '" + success + "'", provider.Ended, "exit 0 after 0s"},
		"success and exit 1":    {"echo '" + success + "'; exit 1", provider.Ended, "exit 1 after 0s"},
		"no end record, exit 0": {"echo '" + began + "'; echo 'panic: no' >&2", provider.Failed, "exit 0 after 0s, without an end record"},
		"42 is no word of it":   {"echo '" + began + "'; exit 42", provider.Failed, "exit 42 after 0s, without an end record"},
		"garbage":               {"echo hello", provider.Failed, "exit 0 after 0s, without an end record"},
		"failed, exit 0":        {"echo '" + limit + "'", provider.Failed, "exit 0 after 0s, its end record says: API Error: 500"},
		"denied, exit 0":        {"echo '" + denied + "'", provider.Failed, "exit 0 after 0s, tools were denied: Bash: git push"},
		"torn by warnings":      {`printf '%s' '{"type":"result","subtype":"success",'; echo warning >&2; echo '"is_error":false,"result":"done"}'`, provider.Ended, "exit 0 after 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ending := records(t, test.script, nil)
			require.Equal(t, test.outcome, ending.Outcome)
			require.Equal(t, test.text, took.ReplaceAllString(ending.Text, "after 0s"))
		})
	}
	hang := func(s *provider.Spawn) { s.Idle, s.Grace = 5*time.Second, 300*time.Millisecond }
	// hung is how a session ends that hangs once it has printed a text, which is not read at
	// once. Where the machine was too slow for that to come well before, the pause is longer
	// the next time.
	hung := func(text string) provider.Outcome {
		for idle := 5 * time.Second; ; idle *= 2 {
			later, began := filepath.Join(t.TempDir(), "later"), time.Now()
			ending := records(t, "printf '%s\\n' '"+words+"' '"+text+"'; sleep 1; : > '"+later+"'; sleep 100", func(s *provider.Spawn) {
				hang(s)
				s.Idle, s.Follow = idle, writer(func() {
					for _, err := os.Stat(later); err != nil && time.Since(began) < idle; _, err = os.Stat(later) {
						time.Sleep(10 * time.Millisecond)
					}
				})
			})
			if info, err := os.Stat(later); err == nil && info.ModTime().Sub(began) < idle/2 {
				return ending.Outcome
			}
		}
	}
	require.Equal(t, provider.Hung, hung(began))
	require.Equal(t, provider.Ended, hung(success), "it had done its work when it hung")

	// Some write an end record of success when they are told to end.
	polite := "trap 'echo '\"'" + success + "'\"'; exit 0' TERM; echo '" + began + "'; sleep 100 & wait"
	require.Equal(t, provider.Hung, records(t, polite, hang).Outcome)
	require.Equal(t, provider.Hung, records(t, polite, func(s *provider.Spawn) { s.Wall, s.Grace = time.Second, 20*time.Second }).Outcome)
}

// The excerpt shows the session's text without the records around it.
func TestExcerptHasNoRecords(t *testing.T) {
	t.Parallel()
	require.Empty(t, records(t, "echo '"+began+"'; exit 1", nil).Excerpt)
	require.Equal(t, "no such model", strings.TrimSpace(records(t, "echo '"+began+"'; echo no such model >&2; exit 1", nil).Excerpt))
	require.Equal(t, "node: not found", strings.TrimSpace(records(t, "echo node: not found; exit 127", nil).Excerpt), "these are none")
}

// A program that waits in silence for what it said first is in trouble, and
// not merely slow.
func TestHungInTrouble(t *testing.T) {
	t.Parallel()
	recording, err := filepath.Abs("../../../../../testdata/transcripts/codex/retrying.jsonl")
	require.NoError(t, err)
	p, err := provider.Builtin().Find("exec:cat '"+recording+"'; sleep 100", "")
	require.NoError(t, err)
	p.Output, p.Quota = "codex", provider.Builtin().FindRow("codex").Quota
	ending, err := p.Run(context.Background(), provider.Spawn{Agent: "coder-1", Dir: t.TempDir(), Environ: os.Environ(), Idle: 5 * time.Second, Grace: 300 * time.Millisecond})
	require.NoError(t, err)
	require.Equal(t, provider.Hung, ending.Outcome)
	require.NotNil(t, ending.Trouble)
	require.Equal(t, provider.Quota, ending.Trouble.Kind)
	require.Contains(t, ending.Trouble.Text, "429 Too Many Requests")
}

// A caller that hears enough ends the session.
func TestWatch(t *testing.T) {
	t.Parallel()
	heard := make(chan transcript.Report, 1)
	ending := records(t, `echo '{"type":"assistant","message":{"id":"a","model":"m","content":[],"usage":{"input_tokens":10}}}'; sleep 100`, func(s *provider.Spawn) {
		s.Grace = 300 * time.Millisecond
		s.Watch = func(r transcript.Report) bool {
			if r.Usage.Input == 0 {
				return true // it has not said anything yet
			}
			heard <- r
			return false
		}
	})
	require.Equal(t, provider.Canceled, ending.Outcome)
	require.Equal(t, int64(10), (<-heard).Usage.Input)
}

// A program that waits in silence for its model waits for no task.
func TestSilenceBeforeAnAnswer(t *testing.T) {
	t.Parallel()
	answer := strings.Replace(words, `"role"`, `"id":"m1","usage":{"input_tokens":10,"output_tokens":2},"role"`, 1)
	for script, trouble := range map[string]bool{"sleep 60": true, "echo '" + answer + "'; sleep 60": false} {
		p, err := provider.Builtin().Find("exec:"+script, "")
		require.NoError(t, err)
		p.Output, p.Tokens = "claude", provider.CountsCalls
		ending, err := p.Run(context.Background(), provider.Spawn{Agent: "coder-1", Dir: t.TempDir(), Environ: os.Environ(), Idle: 3 * time.Second, Grace: 300 * time.Millisecond})
		require.NoError(t, err)
		require.Equal(t, provider.Hung, ending.Outcome)
		require.Equal(t, trouble, ending.Trouble != nil, "%s: %+v", script, ending)
	}
}
