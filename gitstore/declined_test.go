package gitstore

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/gittest"
)

// Only a lost race, a lock and a broken line may go away by themselves.
func TestWhatARemoteSays(t *testing.T) {
	t.Parallel()
	for said, again := range map[string]bool{
		"refs/liza/state [rejected] (stale info)":                                                     true,
		"refs/heads/integration [rejected] (fetch first)":                                             true,
		"refs/heads/integration [rejected] (atomic push failed)":                                      true,
		"refs/heads/integration [remote rejected] (failed to update ref)":                             true,
		"refs/heads/integration [remote rejected] (atomic transaction failed)":                        true,
		"refs/liza/state [remote rejected] (unable to migrate objects to permanent storage)":          true,
		"refs/liza/state [remote rejected] (cannot lock ref 'refs/liza/state': is at 1 but expected)": true,
		"refs/liza/state [remote rejected] (incorrect old value provided)":                            true,
		"refs/liza/state [remote failure] (remote failed to report status)":                           true,
		"refs/liza/state [remote rejected] (pre-receive hook declined)":                               false,
		"refs/heads/integration [remote rejected] (protected branch hook declined)":                   false,
		"refs/heads/integration [remote rejected] (push declined due to blocked content)":             false,
		"refs/heads/liza/t1 [remote rejected] (deletion prohibited)":                                  false,
		"refs/liza/state [remote rejected] (unpacker error)":                                          false,
	} {
		require.Equal(t, again, passes().MatchString(said), said)
	}
	for said, no := range map[string]bool{
		"fatal: unable to access 'https://h/r/': The requested URL returned error: 403": true,
		"fatal: Authentication failed for 'https://h/r/'":                               true,
		"fatal: could not read Username for 'https://h': terminal prompts disabled":     true,
		"git@h: Permission denied (publickey).":                                         true,
		"ERROR: Permission to o/r.git denied to ann.":                                   true,
		"fatal: unable to access 'https://h/r/': The requested URL returned error: 502": false,
		"fatal: the remote end hung up unexpectedly":                                    false,
	} {
		require.Equal(t, no, forbids().MatchString(said), said)
	}
}

// A host that lets nobody in is asked once, and its words are told; what a file system says is no
// such word.
func TestRefusedLogin(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1")
	var asked atomic.Int32
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "text/plain")
		if r.URL.Path == "/private/info/refs" {
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintln(w, "your token has expired")
	}))
	defer host.Close()
	ctx, key := context.Background(), filepath.Join(t.TempDir(), "ssh")
	require.NoError(t, os.WriteFile(key, []byte("#!/bin/sh\necho 'git@h: Permission denied (publickey).' >&2; exit 255\n"), 0o700))
	gittest.Git(t, l.a.dir, "config", "core.sshCommand", key)
	for url, says := range map[string]string{host.URL + "/shut": "your token has expired", host.URL + "/private": "could not read Username", "ssh://git@h/r": "Permission denied (publickey)"} {
		gittest.Git(t, l.a.dir, "remote", "set-url", "origin", url)
		asked.Store(0)
		_, err := l.a.store.Mirror.Sync(ctx)
		require.ErrorContains(t, err, "the remote refuses this login: origin: ")
		require.ErrorContains(t, err, says)
		require.LessOrEqual(t, int(asked.Load()), 1)
		require.ErrorIs(t, err, ErrOffline, "the board as last fetched can be read")
		require.True(t, IsDeclined(err))
		_, err = l.a.store.Remotes.BoardOf(ctx, "origin")
		require.ErrorContains(t, err, "the remote refuses this login: origin: ")
		asked.Store(0)
		_, err = l.a.store.Do(ctx, claim("task-1", coder))
		require.True(t, IsDeclined(err), err)
		require.LessOrEqual(t, int(asked.Load()), 2, "it may be that only pushes are refused")
	}
	for _, here := range []string{"error: cannot open '.git/FETCH_HEAD': Permission denied", "The requested URL returned error: 429"} {
		require.False(t, refusesLogin().MatchString(here), here)
	}
}

// A no is one push; the line that breaks is tried again at once.
func TestDeclinedIsPushedOnce(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.a.add("task-1")
	asked := filepath.Join(l.bare, "asked")
	l.hook(t, "pre-receive", "echo x >>asked; echo not for you; exit 1")
	_, err := l.a.store.Do(context.Background(), claim("task-1", coder))
	require.ErrorIs(t, err, ErrDeclined)
	require.ErrorContains(t, err, "not for you")
	text, err := os.ReadFile(asked)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), "x"))
	require.Equal(t, "claim task-1 by coder-1", ReadDeclined(l.a.store.Repo).Move)
	require.NoError(t, os.Remove(asked))
	l.hook(t, "pre-receive", "echo x >>asked; test $(wc -l <asked) -gt 2 || kill -9 $PPID")
	l.a.claim("task-1", coder)
	text, err = os.ReadFile(asked)
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(text), "x"))
	require.Nil(t, ReadDeclined(l.a.store.Repo))
	l.agree(t)
}
