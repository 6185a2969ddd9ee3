package secret_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/gitstore/secret"
)

var environ = []string{"OPENAI_API_KEY=correct-horse-battery", "NPM_TOKEN=staple staple", "DB_PASSWORD=one\ntwo\"three", "SHORT_KEY=short",
	"HOME=/home/somebody", "SSH_KEY_FILE=/home/somebody/key", "MAX_OUTPUT_TOKENS=32000000", "OTHER_SECRET=another-horse", "NOTHING_KEY=", "MONKEYPASS=x",
	"AWS_SESSION=correct-horse-battery-and-more", "LONG_TOKEN=correct-horse-battery-staple"}

func usual() *secret.Mask {
	return secret.New(environ)
}

const (
	body  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	token = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"
	jwt   = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	pem   = "-----BEGIN RSA PRIVATE KEY-----\n" + body + "\n" + body + "==\n-----END RSA PRIVATE KEY-----"
)

// hides is what becomes of texts with secrets.
var hides = map[string]string{
	"CLAUDE_CODE_MESSAGING_TOKEN=abcdef-ghijkl": "CLAUDE_CODE_MESSAGING_TOKEN=***",
	`"API_KEY": "opaque/and+long"`:              `"API_KEY": "***"`, "SECRET='hush-hush-hush'": "SECRET='***'", "DB_PASSWORD=open-sesame\nHOME=/root": "DB_PASSWORD=***\nHOME=/root",
	"key correct-horse-battery.":                           "key ***.",
	"correct-horse-battery-staple":                         "***",
	"twice: correct-horse-batterycorrect-horse-battery":    "twice: ******",
	"staple staple":                                        "***",
	"staple%20staple and staple+staple":                    "*** and ***",
	"one\ntwo\"three":                                      "***",
	`{"a":"one\ntwo\"three"}`:                              `{"a":"***"}`,
	"sk-ant-api03-" + token + "-x_y z":                     "*** z",
	`{"key":"sk-proj-` + token + `"}`:                      `{"key":"***"}`,
	`"a\nsk-` + token + `\nb"`:                             `"a\n***\nb"`,
	`\u003csk-` + token + `\u003e`:                         `\u003c***\u003e`,
	"OPENAI=sk-" + token:                                   "OPENAI=***",
	"ghp_" + token + "\n":                                  "***\n",
	"github_pat_" + token + "_x":                           "***",
	"glpat-" + token:                                       "***",
	"AKIAIOSFODNN7EXAMPLE":                                 "***",
	"AIza" + token:                                         "***",
	"xoxb-12345-67890-" + token:                            "***",
	"Authorization: Bearer " + token + ".x":                "Authorization: Bearer ***",
	"authorization: basic dXNlcjpwYXNz":                    "authorization: basic ***",
	`"x-api-key": "` + token + `"`:                         `"x-api-key": "***"`,
	"aws_secret_access_key = " + token + token:             "aws_secret_access_key = ***",
	jwt + " end":                                           "*** end",
	"bearer " + jwt:                                        "bearer ***",
	"https://me:" + "hunter2" + "@example.org/x":           "https://me:***@example.org/x",
	"git://x-access-token:ghs_" + token + "@h":             "git://x-access-token:***@h",
	"a\n" + pem + "\nb":                                    "a\n***\nb",
	strings.ReplaceAll("\"a\n"+pem+"\nb\"", "\n", `\n`):    `"a\n***\nb"`,
	"-----BEGIN OPENSSH PRIVATE KEY-----\n" + body + "\"}": "***\"}", // cut off
	"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nabc\n-----END PGP PRIVATE KEY BLOCK-----;": "***;",
}

// shows are texts that have no secret in them.
var shows = []string{
	"9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4", "tree 5c1e0a44d2b97f315c1e0a44d2b97f315c1e0a44\n",
	"9f91405c3d2b97f315c1e0a44d2b97f315c1e0a49f91405c3d2b97f315c1e0a4", "generation: 5c1e0a44d2b97f31.child",
	"task-3 is a risk-based-approach-to-everything-2026", "disk-usage-of-the-whole-machine-in-2026", "sk-learn-is-a-word-with-dashes-in-it", "sk-", "sk-12",
	"the bearer of bad news", "bearer authentication-is-required-here", "Bearer", "the basic idea", "authorization: basic", "Authorization: none",
	"https://example.org:8080/x@y", "ssh://git@example.org:22/a", "http://[::1]:80/", "a://b", "://:", "std::vector<int>://x y:z@w",
	"-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----", "-----BEGIN PRIVATE", "-----", "diff\n-----\n+++++\n", "eyJ", "eyJabc.def", "keyJabcdefgh.eyJx",
	"correct-horse-batter", "short", "/home/somebody", "/home/somebody/key", "32000000", "npm_install_everything_that_there_is", "github_pat_",
	"the api key is read from OPENAI_API_KEY", "x-api-key: " + "$KEY", "api_key = os.environ['X']", "AKIA", "maskAKIAIOSFODNN7EXAMPLE", "tokens: 12", "***", "",
	"data:image/png;base64," + strings.Repeat(body, 9), "\x00\xff\xfe", "e\u0301 ü", "hf_hub", "\\usk-",
}

func TestMask(t *testing.T) {
	t.Parallel()
	m := usual()
	for text, want := range hides {
		require.Equal(t, want, m.String(text), text)
		require.Equal(t, want, m.String(want), "what is hidden stays as it is")
	}
	for _, text := range shows {
		require.Equal(t, text, m.String(text))
	}
	for text, want := range hides { // whatever stands around it
		require.Equal(t, "x, "+want+" "+strings.Join(shows[:9], "\n"), m.String("x, "+text+" "+strings.Join(shows[:9], "\n")), text)
	}
}

func TestWhichVariables(t *testing.T) {
	t.Parallel()
	require.Equal(t, "***", usual().String("another-horse"))
	require.Equal(t, "correct-horse-battery-and-more", secret.New([]string{"AWS_SESSION=correct-horse-battery-and-more"}).String("correct-horse-battery-and-more"), "its name says nothing of secrets")
	require.Equal(t, "***", secret.New([]string{"MY_APIKEY=12345678"}).String("12345678"))
	require.Equal(t, "x", secret.New([]string{"A_KEY", "=", ""}).String("x"))
}

// An unterminated key does not swallow all that follows.
func TestKeyWithoutEnd(t *testing.T) {
	t.Parallel()
	long := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(body, 1000)
	got := usual().String(long)
	require.True(t, strings.HasPrefix(got, "***"))
	require.Less(t, len(got), len(long)-10_000)
	require.Greater(t, len(got), 10_000)
}

// cut writes a text in pieces whose lengths next gives.
func cut(t require.TestingT, m *secret.Mask, text []byte, next func() int) string {
	var out bytes.Buffer
	w := m.Writer(&out)
	for len(text) > 0 {
		n := min(max(next(), 1), len(text))
		written, err := w.Write(text[:n])
		require.NoError(t, err)
		require.Equal(t, n, written)
		text = text[n:]
	}
	require.NoError(t, w.Close())
	return out.String()
}

// However a stream is cut, the same is hidden.
func TestCuts(t *testing.T) {
	t.Parallel()
	m := usual()
	pieces := append([]string{}, shows...)
	for text := range hides {
		pieces = append(pieces, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "pieces") {
			piece := rapid.SampledFrom(pieces).Draw(t, "piece")
			if rapid.Bool().Draw(t, "part") {
				piece = piece[:rapid.IntRange(0, len(piece)).Draw(t, "length")]
			}
			text.WriteString(piece + rapid.SampledFrom([]string{"", "", " ", "\n", "\"", `\n`, "@", "-----", ":"}).Draw(t, "between"))
		}
		all := []byte(text.String())
		want := string(m.Bytes(all))
		require.Equal(t, want, cut(t, m, all, func() int { return rapid.IntRange(1, 40).Draw(t, "cut") }))
	})
}

func FuzzMask(f *testing.F) {
	for text := range hides {
		f.Add([]byte(text), byte(3))
	}
	m := usual()
	f.Fuzz(func(t *testing.T, text []byte, step byte) {
		want := m.Bytes(text)
		require.Equal(t, string(want), cut(t, m, text, func() int { return int(step%64) + 1 }))
		require.Equal(t, string(want), cut(t, m, text, func() int { return 1 }))
		require.NotContains(t, string(want), "correct-horse-battery")
	})
}

func BenchmarkMask(b *testing.B) {
	text := []byte(strings.Repeat(strings.Join(shows, " ")+" a usual line of text that some program prints while it works\n", 100))
	m := usual()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Bytes(text)
	}
}

// TestFind: what is refused in commits is what no example needs.
func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]secret.Key{
		"a\nkey = ghp_" + token + "\n":                   {{Offset: 8, Text: "ghp_" + token}},
		"x AKIAIOSFODNN7EXAMPLE, sk-ant-" + token:        {{Offset: 2, Text: "AKIAIOSFODNN7EXAMPLE"}, {Offset: 24, Text: "sk-ant-" + token}},
		"a\n" + pem + "\nb":                              {{Offset: 2, Text: body + "=="}},
		jwt:                                              {{Offset: 0, Text: jwt}},
		"-----BEGIN RSA PRIVATE KEY-----":                nil,
		"`-----BEGIN PRIVATE KEY-----\n...`":             nil,
		"postgres://me:hunter2hunter2@localhost/x":       nil,
		"Authorization: Bearer YOUR_ACCESS_TOKEN_HERE_1": nil,
	} {
		require.Equal(t, want, secret.Find([]byte(text)), text)
	}
}
