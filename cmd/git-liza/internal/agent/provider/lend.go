package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
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

// lentMark is the end of the name of a file in a session's home, beside a copy, that has the text as it
// was lent.
const lentMark = ".lent"

// A lent file is a copy in a session's home.
type lent struct {
	from, to string // to is in the home
	folder   string // the variable that leads to the copy, "" if HOME does
	isLogin  bool
}

// lends are the login files and the settings of the program, and its folders, of which a session has no
// copies.
func (r Row) lends(environ []string) (list []lent) {
	for _, file := range slices.Concat(r.Folders, r.settings(environ), r.LoginFiles) {
		f := lent{from: expandPath(file, environ), isLogin: slices.Contains(r.LoginFiles, file)}
		name, rest, _ := strings.Cut(file, "/")
		if f.to = rest; name != "~" {
			f.folder = strings.Trim(name, "{}")
			f.to = path.Join(lentFolder, f.folder, rest)
		}
		list = append(list, f)
	}
	return list
}

// Lend copies the login files and the settings of the program into the home of a session, which
// reads no other home. set are the variables that lead to the copies, which stay until
// [Row.TakeBack].
func (r Row) Lend(environ []string, home string) (set []string, err error) {
	_ = r.TakeBack(environ, home) // what is left of a session whose supervisor died is lent anew
	root, err := os.OpenRoot(home)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, f := range r.lends(environ) {
		if folder := f.folder + "=" + filepath.Join(home, lentFolder, f.folder); f.folder != "" && f.from != "" && !slices.Contains(set, folder) {
			set = append(set, folder)
		}
		text, err := git.ReadSmall(f.from)
		if _, left := root.Lstat(f.to + lentMark); err != nil || left == nil {
			continue // the variable is not set, or the user has none, or it is a folder; or what was lent could not be brought back
		}
		err = errors.Join(root.RemoveAll(f.to), root.RemoveAll(f.to+lentMark), root.MkdirAll(path.Dir(f.to), 0o700))
		if err = errors.Join(err, root.WriteFile(f.to+lentMark, text, 0o600), root.WriteFile(f.to, text, 0o600)); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// TakeBack removes from the home of a session what was lent to it. Before, it brings login files to the
// user that the program has renewed: small, of the same form, and where the user's is still as it
// was lent. What could not be brought stays.
func (r Row) TakeBack(environ []string, home string) error {
	root, err := os.OpenRoot(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no session ran there
	}
	if err != nil {
		return err
	}
	defer root.Close()
	var failed error
	for _, f := range r.lends(environ) {
		before, err := readLent(root, f.to+lentMark)
		if err != nil {
			continue // it was not lent, or the session gives nothing back
		}
		if f.isLogin {
			err = f.bring(root, before)
		}
		if err == nil {
			err = errors.Join(root.RemoveAll(f.to), root.RemoveAll(f.to+lentMark))
		}
		failed = errors.Join(failed, err)
	}
	return failed
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

// readLent is the content of a small file that a session may have put into its home.
func readLent(root *os.Root, name string) ([]byte, error) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestLogin {
		return nil, cmp.Or(err, fs.ErrInvalid)
	}
	return root.ReadFile(name)
}

// bring writes to the user's file, which was lent with the text before, what the copy has become.
func (f lent) bring(root *os.Root, before []byte) error {
	now, err := readLent(root, f.to)
	if err != nil || bytes.Equal(now, before) || json.Valid(before) && !json.Valid(now) || len(now) == 0 || f.mayRun(now) {
		return nil // the program has removed it: it logged out of its own copy
	}
	theirs, err := git.ReadSmall(f.from)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(theirs, before) {
		return nil // the user has logged out, or the user or another session has renewed it
	}
	if err != nil {
		return err
	}
	return git.ReplaceFile(f.from, now)
}
