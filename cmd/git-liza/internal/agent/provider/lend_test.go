package provider

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A session has a copy of the user's login, and gives back what its program has renewed.
func TestLend(t *testing.T) {
	t.Parallel()
	row := Row{LoginFiles: []string{"{CODEX_HOME}/auth.json", "~/.codex/auth.json", "~/missing"}, Folders: []string{"{CODEX_HOME}", "~/.codex", "~/.codex.json"}}
	for name, tt := range map[string]struct {
		session func(file string) error // what the session does with its copy
		user    string                  // what the user writes meanwhile
		want    string
		keeps   string // what is not of the home
	}{
		"nothing":         {want: `{"old":1}`, session: func(string) error { return nil }},
		"renewed":         {want: `{"new":1}`, session: func(file string) error { return os.WriteFile(file, []byte(`{"new":1}`), 0o600) }},
		"renewed by both": {want: `{"mine":1}`, user: `{"mine":1}`, session: func(file string) error { return os.WriteFile(file, []byte(`{"new":1}`), 0o600) }},
		"a command":       {want: `{"old":1}`, session: func(file string) error { return os.WriteFile(file, []byte(`{"key":"!evil"}`), 0o600) }},
		"another command": {want: `{"old":1}`, session: func(file string) error { return os.WriteFile(file, []byte(`{"key":"\u0021evil"}`), 0o600) }},
		"of another form": {want: `{"old":1}`, session: func(file string) error { return os.WriteFile(file, []byte("x"), 0o600) }},
		"emptied":         {want: `{"old":1}`, session: func(file string) error { return os.Truncate(file, 0) }},
		"too large":       {want: `{"old":1}`, session: func(file string) error { return os.Truncate(file, largestLogin+1) }},
		"removed":         {want: `{"old":1}`, session: os.Remove},
		"a link": {want: `{"old":1}`, session: func(file string) error {
			if err := os.Rename(file, file+"2"); err != nil {
				return err
			}
			return os.Symlink(file+"2", file)
		}},
		"a folder that leads out": {want: `{"old":1}`, keeps: "auth.json", session: func(file string) error {
			out := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(file))), "..", "out")
			if err := os.MkdirAll(out, 0o700); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(out, "auth.json"), []byte(`{"secret":1}`), 0o600); err != nil {
				return err
			}
			if err := os.RemoveAll(filepath.Dir(file)); err != nil {
				return err
			}
			return os.Symlink(out, filepath.Dir(file))
		}},
	} {
		for _, by := range []string{"HOME", "CODEX_HOME"} {
			t.Run(name+" by "+by, func(t *testing.T) {
				t.Parallel()
				user, home := t.TempDir(), filepath.Join(t.TempDir(), "home")
				require.NoError(t, os.Mkdir(home, 0o700))
				theirs, environ := filepath.Join(user, ".codex"), []string{"HOME=" + user}
				copied := filepath.Join(home, ".codex", "auth.json")
				var want []string
				if by == "CODEX_HOME" {
					environ = append(environ, "CODEX_HOME="+theirs)
					copied = filepath.Join(home, lentFolder, "CODEX_HOME", "auth.json")
					want = []string{"CODEX_HOME=" + filepath.Dir(copied)}
				}
				require.NoError(t, os.Mkdir(theirs, 0o700))
				file := filepath.Join(theirs, "auth.json")
				require.NoError(t, os.WriteFile(file, []byte(`{"old":1}`), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(theirs, "config.toml"), []byte("model"), 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(theirs, "history.jsonl"), nil, 0o600))
				require.NoError(t, os.WriteFile(filepath.Join(user, ".codex.json"), []byte("{}"), 0o600))
				set, err := row.Lend(environ, home)
				require.NoError(t, err)
				require.Equal(t, want, set)
				text, err := os.ReadFile(filepath.Join(filepath.Dir(copied), "config.toml"))
				require.NoError(t, err)
				require.Equal(t, "model", string(text))
				require.NoFileExists(t, filepath.Join(filepath.Dir(copied), "history.jsonl"))
				text, err = os.ReadFile(filepath.Join(home, ".codex.json"))
				require.NoError(t, err)
				require.Equal(t, "{}", string(text))
				text, err = os.ReadFile(copied)
				require.NoError(t, err)
				require.JSONEq(t, `{"old":1}`, string(text))
				require.NoError(t, tt.session(copied))
				if tt.user != "" {
					require.NoError(t, os.WriteFile(file, []byte(tt.user), 0o600))
				}
				require.NoError(t, row.TakeBack(environ, home))
				text, err = os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, tt.want, string(text))
				left, err := os.ReadDir(filepath.Dir(copied))
				require.NoError(t, err)
				for _, e := range left {
					require.Contains(t, []string{"auth.json2", tt.keeps}, e.Name(), "it was lent, or beside it")
				}
				require.NoFileExists(t, filepath.Join(home, ".codex.json"))
			})
		}
	}
}

// What a program reads beside its login may name programs: a session gets it and gives nothing back.
func TestLendSettings(t *testing.T) {
	t.Parallel()
	user, home := t.TempDir(), t.TempDir()
	names := []string{"settings.json", "models.json", ".env"}
	var row Row
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(user, name), []byte("{}"), 0o600))
		row.LoginFiles = append(row.LoginFiles, "~/"+name)
	}
	_, err := row.Lend([]string{"HOME=" + user}, home)
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(`{"new":1}`), 0o600))
	}
	require.NoError(t, row.TakeBack([]string{"HOME=" + user}, home))
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(user, name))
		require.NoError(t, err)
		require.Equal(t, "{}", string(text), name)
	}
}

// What was renewed comes back also after the supervisor has died, from a home in which the session may
// have put anything, and what was lent is removed.
func TestTakeBackLater(t *testing.T) {
	t.Parallel()
	row := Row{LoginFiles: []string{"~/.tool/auth.json"}}
	for name, tt := range map[string]struct {
		leaves, want string // a shell line in the home, the user's login after it
		fails        bool
	}{
		"renewed":                {leaves: `echo '{"new":1}' >.tool/auth.json`, want: "{\"new\":1}\n"},
		"lent only by half":      {leaves: "rm .tool/auth.json", want: "old"},
		"gone":                   {leaves: "rm -r .tool", want: "old"},
		"a pipe":                 {leaves: "mkfifo x; mv x .tool/auth.json", want: "old"},
		"a pipe beside":          {leaves: "mkfifo x; mv x .tool/auth.json.lent", want: "old"},
		"a folder":               {leaves: "rm .tool/auth.json; mkdir -p .tool/auth.json/x", want: "old"},
		"a link beside":          {leaves: "ln -sf ../theirs .tool/auth.json.lent", want: "old"},
		"another text beside":    {leaves: `echo '{"evil":1}' >.tool/auth.json; echo x >.tool/auth.json.lent`, want: "old"},
		"the user has none":      {leaves: `echo '{"new":1}' >.tool/auth.json; rm "$THEIRS"`},
		"the user's is a folder": {leaves: `echo '{"new":1}' >.tool/auth.json; rm "$THEIRS"; mkdir "$THEIRS"`, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			user, home := t.TempDir(), t.TempDir()
			environ, file := []string{"HOME=" + user}, filepath.Join(user, ".tool", "auth.json")
			require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
			require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
			_, err := row.Lend(environ, home)
			require.NoError(t, err)
			c := exec.Command("sh", "-c", tt.leaves)
			c.Dir, c.Env = home, append(os.Environ(), "THEIRS="+file)
			said, err := c.CombinedOutput()
			require.NoError(t, err, string(said))
			err = row.TakeBack(environ, home)
			copied := filepath.Join(home, ".tool", "auth.json")
			if tt.fails {
				require.Error(t, err)
				require.FileExists(t, copied)
				return
			}
			require.NoError(t, err)
			text, _ := os.ReadFile(file)
			require.Equal(t, tt.want, string(text))
			if !strings.HasSuffix(name, " beside") || name == "another text beside" {
				require.NoFileExists(t, copied)
				require.NoFileExists(t, copied+lentMark)
			}
			require.NoError(t, row.TakeBack(environ, home), "once more")
			_, err = row.Lend(environ, home)
			require.NoError(t, err)
			if tt.want == "old" {
				require.NoError(t, os.WriteFile(copied, []byte("new"), 0o600))
				_, err = row.Lend(environ, home)
				require.NoError(t, err)
				text, err = os.ReadFile(copied)
				require.NoError(t, err)
				require.Equal(t, "new", string(text), "what is lent next")
			}
			require.NoError(t, row.TakeBack(environ, filepath.Join(home, "none")))
		})
	}
}
