package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/gitstore/git"
)

// lentFolder is where a session's home has the login files of folders that a variable names.
const lentFolder = ".liza-login"

// largestLogin is the most that comes back, in bytes.
const largestLogin = 1 << 20

// A lent file is the copy of a login file in a session's home.
type lent struct {
	from, to string // to is in the home
	text     []byte
}

// Lend copies the login files of the row into the home of a session, for which nobody else's home is
// there. set are the variables that lead to the copies. back brings those to the user that the
// program has renewed: small, of the same form, and where the user's is still as it was lent.
func (r Row) Lend(environ []string, home string) (set []string, back func() error, err error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, nil, err
	}
	var files []lent
	for _, file := range r.LoginFiles {
		from, to := expandPath(file, environ), ""
		if rest, is := strings.CutPrefix(file, "~/"); is {
			to = rest
		} else if name, rest, is := strings.Cut(strings.TrimPrefix(file, "{"), "}/"); is {
			to = filepath.Join(lentFolder, name, rest)
			if proc.Value(environ, name) != "" {
				set = append(set, name+"="+filepath.Join(home, lentFolder, name))
			}
		}
		text, err := git.ReadSmall(from)
		if from == "" || to == "" || err != nil {
			continue // the user has none, or logs in otherwise
		}
		if err := errors.Join(root.RemoveAll(to), root.MkdirAll(filepath.Dir(to), 0o700), root.WriteFile(to, text, 0o600)); err != nil {
			root.Close()
			return nil, nil, err
		}
		files = append(files, lent{from, to, text})
	}
	return set, func() error {
		defer root.Close()
		var failed error
		for _, f := range files {
			failed = errors.Join(failed, f.bring(root))
		}
		return failed
	}, nil
}

// mayRun reports whether a program could run words of a text in place of the copy: it names
// settings, as files of variables and others than those of logins do, or a key as pi has it, which
// is a command after a "!".
func (f lent) mayRun(text []byte) bool {
	isLogin := slices.ContainsFunc([]string{"auth.json", "creds.json", "credentials.json"}, func(end string) bool { return strings.HasSuffix(f.to, end) })
	return !isLogin || bytes.Contains(text, []byte(`"!`)) || bytes.Contains(text, []byte(`\u0021`))
}

// bring writes to the user's file what the copy has become.
func (f lent) bring(root *os.Root) error {
	info, err := root.Lstat(f.to)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestLogin {
		return nil // the program has removed it: it logged out of its own copy
	}
	now, err := root.ReadFile(f.to)
	if err != nil || bytes.Equal(now, f.text) || json.Valid(f.text) && !json.Valid(now) || len(now) == 0 || f.mayRun(now) {
		return err
	}
	theirs, err := git.ReadSmall(f.from)
	if err != nil || !bytes.Equal(theirs, f.text) {
		return err // the user, or another session, has renewed it
	}
	return git.ReplaceFile(f.from, now)
}
