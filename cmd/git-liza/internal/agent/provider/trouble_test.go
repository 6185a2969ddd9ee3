package provider_test

import (
	"testing"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/stretchr/testify/require"
)

// The texts are those of the command lines: those that end in * were seen with
// a server that answers so, the others stand in reports of their users.
func TestTrouble(t *testing.T) {
	t.Parallel()
	// A Friday, at noon of the machine's clock.
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.Local)
	in := func(d time.Duration) time.Time { return now.Add(d) }
	unknown := time.Time{}
	for _, test := range []struct {
		row, text string
		kind      provider.TroubleKind
		until     time.Time
	}{
		{"claude", "You've hit your session limit · resets 8:30pm", provider.Quota, in(8*time.Hour + 30*time.Minute)},
		{"claude", "You've hit your session limit · resets 12:50am (America/Los_Angeles)", provider.Quota, day(t, now, "America/Los_Angeles", 0, 50)},
		{"claude", "You've hit your limit · resets 1:30am (Asia/Dhaka)", provider.Quota, day(t, now, "Asia/Dhaka", 1, 30)},
		{"claude", "Claude AI usage limit reached|1795300000", provider.Quota, time.Unix(1795300000, 0)},
		{"claude", "Claude usage limit reached. Your limit will reset at 9am.", provider.Quota, in(21 * time.Hour)},
		{"claude", "5-hour limit reached ∙ resets 5pm", provider.Quota, in(5 * time.Hour)},
		{"claude", `API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, provider.Outage, unknown},
		{"claude", "Invalid API key · Please run /login", provider.Login, unknown},

		{"codex", "unexpected status 401 Unauthorized: invalid x-api-key, url: http://127.0.0.1:1/v1/responses", provider.Login, unknown}, // *
		{"codex", "You've hit your usage limit. Upgrade to Pro (https://openai.com/chatgpt/pricing) or try again in 5 days 22 hours 11\nminutes.",
			provider.Quota, in(5*24*time.Hour + 22*time.Hour + 11*time.Minute)},
		{"codex", "You've hit your usage limit. To get more access now, send a request to your admin or try again at 12:16 PM.", provider.Quota, in(16 * time.Minute)},
		{"codex", "You've hit your usage limit. Upgrade your plan to continue, or try again at Nov 25th, 2026 5:32 PM.", provider.Quota,
			time.Date(2026, 11, 25, 17, 32, 0, 0, time.Local)},
		{"codex", "exceeded retry limit, last status: 429 Too Many Requests, request id: c4fc59ca", provider.Quota, unknown},

		{"gemini", "You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.", provider.Quota, in(8*time.Hour + 44*time.Minute + 7*time.Second)},
		{"gemini", "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 0s.. Retrying after 5710ms...", provider.Quota, in(5710 * time.Millisecond)},
		{"gemini", `{"error":{"message":"Rate limit reached. Please try again in 3600s.","code":429}}` + "\n    at a.js:1\n  status: 429", provider.Quota, in(time.Hour)}, // *
		{"gemini", "[API Error: You have exhausted your daily quota on this model.]", provider.Quota, unknown},
		{"gemini", "No capacity available for model gemini-3-flash-preview on the server", provider.Outage, unknown},
		{"gemini", `[API Error: {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key","code":"invalid_api_key"}}]`, provider.Login, unknown}, // *

		{"copilot", "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 15 hours 23 minutes. Please review our Terms of Service",
			provider.Quota, in(15*time.Hour + 23*time.Minute)},
		{"copilot", `Model call failed: {"message":"rate limit exceeded","code":"rate_limited"}`, provider.Quota, unknown},
		{"copilot", "Authentication failed with provider at http://127.0.0.1:1/v1 (HTTP 401).", provider.Login, unknown}, // *

		{"claude", "API Error: Request rejected (429) · This request would exceed your account rate limit. Please try again later.", provider.Quota, unknown},                // *
		{"claude", "API Error: 401 authentication_failed, attempt 4 of 4", provider.Login, unknown},                                                                          // *
		{"claude", "API Error: 529 overloaded, attempt 4 of 4", provider.Outage, unknown},                                                                                    // *
		{"codex", "Quota exceeded. Check your plan and billing details.", provider.Quota, unknown},                                                                           // *
		{"codex", "Reconnecting... waiting for network (Connection failed: error sending request)", provider.Outage, unknown},                                                // *
		{"codex", "unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1:1/v1/responses", provider.Outage, unknown},                                 // *
		{"gemini", `Attempt 1 failed with status 429. Retrying with backoff... _ApiError: {"type":"error"}`, provider.Quota, unknown},                                        // *
		{"copilot", "429 This request would exceed your account rate limit. Please try again later.", provider.Quota, unknown},                                               // *
		{"copilot", "Failed to get response from the AI model; retried 5 times (total retry wait time: 16.06 seconds) Last error: 529 Overloaded", provider.Outage, unknown}, // *
		{"copilot", "Could not connect to local model provider at http://127.0.0.1:1/v1.", provider.Outage, unknown},                                                         // *
		{"opencode", "You exceeded your current quota, please check your plan and billing details.", provider.Quota, unknown},                                                // *
		{"opencode", "Cannot connect to API: Unable to connect. Is the computer able to access the url?", provider.Outage, unknown},                                          // *
		{"qwen", "[API Error: 529 Overloaded]", provider.Outage, unknown},                                                                                                    // *
		{"qwen", "[API Error: Connection error. (cause: fetch failed)]", provider.Outage, unknown},                                                                           // *
		{"pi", "529 Overloaded", provider.Outage, unknown},                                                                                                                   // *
		{"pi", "429 You exceeded your current quota, please check your plan and billing details.", provider.Quota, unknown},                                                  // *
		{"opencode", "invalid x-api-key", provider.Login, unknown},                                                                                                           // *
		{"pi", "401 invalid x-api-key", provider.Login, unknown},                                                                                                             // *
		{"qwen", "[API Error: 401 invalid x-api-key]", provider.Login, unknown},                                                                                              // *
		{"pi", `Codex error: {"type":"usage_limit_reached","message":"The usage limit has been reached","resets_in_seconds":13872}`, provider.Quota, in(13872 * time.Second)},
		{"acp", "the agent demands a login: Gemini API key is missing or not configured. (code -32000)", provider.Login, unknown}, // *
		{"vibe", "Rate limit exceeded. Please wait a moment before trying again.", provider.Quota, unknown},
	} {
		got := provider.Builtin().FindRow(test.row).FindTrouble("some line\n"+test.text+"\n", now)
		require.NotNil(t, got, test.text)
		require.Equal(t, test.kind, got.Kind, test.text)
		require.WithinDuration(t, test.until, got.Until, 0, test.text)
		require.NotEmpty(t, got.Text)
	}
	for _, row := range provider.Builtin() {
		for _, text := range []string{"", "exit status 1", "panic: index out of range [5]", "tool not found: frobnicate"} {
			require.Nil(t, row.FindTrouble(text, now), "%s: %s", row.Name, text)
		}
	}
}

// A limit of what is asked at once is over soon; that a quota is used up is
// another thing.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	for text, rate := range map[string]bool{
		"exceeded retry limit, last status: 429 Too Many Requests, request id: c4fc59ca": true,
		"Rate limit reached for standin. Please try again in 1s.":                        true,
		"You've hit your usage limit. Upgrade to Pro":                                    false,
		"429 Quota exceeded. Check your plan and billing details.":                       false,
		"last status: 429: You exceeded your current quota":                              false,
	} {
		got := provider.Builtin().FindRow("codex").FindTrouble(text, time.Now())
		require.NotNil(t, got, text)
		require.Equal(t, provider.Quota, got.Kind, text)
		require.Equal(t, rate, got.Rate, text)
	}
}

// Of an error in JSON people get to see the message.
func TestTroubleInJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[API Error: {"error":{"code":401,"message":"API key not valid. Please pass a valid API key.","status":"UNAUTHENTICATED"}}]`:                                                                                   "API key not valid. Please pass a valid API key.",
		`Error: {\"error\":{\"message\":\"API key not valid.\",\"details\":[{\"reason\":\"API_KEY_INVALID\"}]}}`:                                                                                                       "API key not valid.",
		"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"Bad key\",\n    \"details\": [\n      {\n        \"@type\": \"type.googleapis.com/google.rpc.ErrorInfo\",\n        \"reason\": \"API_KEY_INVALID\"": "Bad key",
		"API_KEY_INVALID": "API_KEY_INVALID",
	} {
		got := provider.Builtin().FindRow("gemini").FindTrouble(text, time.Now())
		require.NotNil(t, got, text)
		require.Equal(t, provider.Login, got.Kind, text)
		require.Equal(t, want, got.Text)
	}
}

// day is the next time after now that the clocks of a zone show.
func day(t *testing.T, now time.Time, name string, hour, minute int) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(name)
	require.NoError(t, err)
	at := time.Date(now.In(zone).Year(), now.In(zone).Month(), now.In(zone).Day(), hour, minute, 0, 0, zone)
	if !at.After(now) {
		at = at.AddDate(0, 0, 1)
	}
	return at
}

// Excerpts of a provider's output are short and stand around the words that tell the
// trouble.
func TestTroubleIsShort(t *testing.T) {
	t.Parallel()
	long := make([]byte, 5000)
	for i := range long {
		long[i] = 'x'
	}
	got := provider.Builtin().FindRow("codex").FindTrouble(string(long)+" You've hit your usage limit "+string(long), time.Now())
	require.NotNil(t, got)
	require.Less(t, len(got.Text), 300)
	require.Contains(t, got.Text, "hit your usage limit")
}
