package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// lentFolder is where a session's home has what lies in folders that a variable names.
const lentFolder = ".liza-lent"

// settingsFiles are the files in a program's own folder that are its settings and instructions.
var settingsFiles = []string{".json", ".md", ".toml", ".yaml", ".yml"}

// largestLogin is the most that comes back, in bytes.
const largestLogin = 1 << 20

// A lent file is a copy in a session's home.
type lent struct {
	from, to string // to is in the home
	text     []byte
}

// Lend copies the login files and the settings of the program into the home of a session, which
// reads no other home. set are the variables that lead to the copies. back brings login files to the
// user that the program has renewed: small, of the same form, and where the user's is still as it was lent.
func (r Row) Lend(environ []string, home string) (set []string, back func() error, err error) {
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, nil, err
	}
	var logins []lent
	for _, file := range slices.Concat(r.Folders, r.settings(environ), r.LoginFiles) {
		f := lent{from: expandPath(file, environ)}
		name, rest, _ := strings.Cut(file, "/")
		if f.to = rest; name != "~" {
			name = strings.Trim(name, "{}")
			f.to = path.Join(lentFolder, name, rest)
		}
		if f.from == "" {
			continue // the variable is not set
		}
		if folder := name + "=" + filepath.Join(home, lentFolder, name); name != "~" && !slices.Contains(set, folder) {
			set = append(set, folder)
		}
		if f.text, err = git.ReadSmall(f.from); err != nil {
			continue // the user has none, or it is a folder
		}
		if err := errors.Join(root.RemoveAll(f.to), root.MkdirAll(path.Dir(f.to), 0o700), root.WriteFile(f.to, f.text, 0o600)); err != nil {
			root.Close()
			return nil, nil, err
		}
		if slices.Contains(r.LoginFiles, file) {
			logins = append(logins, f)
		}
	}
	return set, func() error {
		defer root.Close()
		var failed error
		for _, f := range logins {
			failed = errors.Join(failed, f.bring(root))
		}
		return failed
	}, nil
}

// settings are the files of settings in the program's own folders, named as login files are.
func (r Row) settings(environ []string) (list []string) {
	for _, folder := range r.Folders {
		entries, _ := os.ReadDir(expandPath(folder, environ)) // it may be a file, or not there
		for _, e := range entries {
			if e.Type().IsRegular() && slices.Contains(settingsFiles, filepath.Ext(e.Name())) {
				list = append(list, folder+"/"+e.Name())
			}
		}
	}
	return list
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
