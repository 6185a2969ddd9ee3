package provider

import (
	"os"
	"path/filepath"
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
		"a folder that leads out": {want: `{"old":1}`, session: func(file string) error {
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
				set, back, err := row.Lend(environ, home)
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
				require.NoError(t, back())
				text, err = os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, tt.want, string(text))
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
	_, back, err := row.Lend([]string{"HOME=" + user}, home)
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(`{"new":1}`), 0o600))
	}
	require.NoError(t, back())
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(user, name))
		require.NoError(t, err)
		require.Equal(t, "{}", string(text), name)
	}
}
