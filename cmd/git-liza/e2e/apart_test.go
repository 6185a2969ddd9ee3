package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mostBytes is how large git-liza may be: 22 MB.
const mostBytes = 22_000_000

// The small program is small. It starts the whole one beside it for the views for people,
// with the arguments that it got, and says what is missing where there is none.
func TestProgramApart(t *testing.T) {
	t.Parallel()
	is, err := os.Stat(shared.path("bin", "git-liza"))
	require.NoError(t, err)
	require.LessOrEqual(t, is.Size(), int64(mostBytes))
	dir := t.TempDir()
	program, beside := filepath.Join(dir, "git-liza"), filepath.Join(dir, "git-liza-whole")
	require.NoError(t, os.Link(shared.path("bin", "git-liza"), program))
	run := func(args ...string) string {
		c := exec.Command(program, args...)
		c.Dir, c.Env = dir, append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		out, err := c.CombinedOutput()
		require.Error(t, err)
		return string(out)
	}
	require.Contains(t, run("web"), "there is no second program "+beside+", which make install puts beside this one, for the pages")
	require.NoError(t, os.WriteFile(beside, []byte("#!/bin/sh\necho started \"$@\"\nexit 7\n"), 0o755))
	require.Equal(t, "started web --act --addr 127.0.0.1:0", strings.TrimSpace(run("web", "--act", "--addr", "127.0.0.1:0")))
}

// The small program has the whole one post to an address.
func TestPostApart(t *testing.T) {
	t.Parallel()
	var body, signature string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err == nil {
			body, signature = string(text), r.Header.Get("X-Liza-Signature")
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	asked, err := json.Marshal(map[string]any{"Address": server.URL, "Body": []byte(`{"version":1}`), "Signature": "sha256=s", "Time": time.Minute})
	require.NoError(t, err)
	for _, program := range []string{"git-liza", "git-liza-whole"} {
		body, signature = "", ""
		c := exec.Command(shared.path("bin", program), "hook", "post")
		c.Stdin = bytes.NewReader(asked)
		out, err := c.Output()
		require.NoError(t, err)
		require.JSONEq(t, `{"Code": 202, "Error": ""}`, string(out))
		require.Equal(t, `{"version":1} sha256=s`, body+" "+signature)
	}
}
