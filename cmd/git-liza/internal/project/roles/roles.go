// Package roles reads the files of roles: Markdown whose front matter is the
// role's row on the board, and whose text is what its agents are told, their
// persona. It knows the built-in files and those of a project; it changes
// nothing.
package roles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/contracts"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// maxFile bounds the file of a role, in bytes.
const maxFile = 64 << 10

// fence is the line before and after the front matter.
const fence = "---"

// Parse reads the file of a role: the row, whose persona is empty, and the text
// after the front matter. path stands for the file in errors, which name every
// wrong line of the front matter; the role has the file's name without .md.
// Whether the board's rules accept the row is not asked.
func Parse(path string, text []byte) (row board.RoleRow, body string, err error) {
	if len(text) > maxFile {
		return row, "", fmt.Errorf("%s is larger than 64 KiB", path)
	}
	front, body, ok := split(text)
	if !ok {
		return row, "", &document.Error{Name: path, Line: 1, Reason: "the file of a role begins with its row, between two lines " + fence}
	}
	// The empty line stands for the first fence, so that lines are those of the file.
	parsed, err := document.Parse(path, append([]byte("\n"), front...), maxFile)
	if err == nil {
		err = parsed.DecodeAll(&row, flow.MaxFaults)
	}
	name := board.Role(strings.TrimSuffix(filepath.Base(path), ".md"))
	var role board.Role
	switch {
	case err != nil:
	case role.UnmarshalText([]byte(name)) != nil:
		err = fmt.Errorf("%s: the file of a role is named after it, and %w", path, role.UnmarshalText([]byte(name)))
	case row.Name != "" && row.Name != name:
		err = fmt.Errorf("%s: the name is %q, the file's is %s.md", path, row.Name, name)
	case row.Persona != "":
		err = fmt.Errorf("%s: the key persona cannot be set: the persona is the text below the front matter", path)
	case strings.TrimSpace(body) == "":
		err = fmt.Errorf("%s has no text below the front matter: it is what the agents of the role are told", path)
	}
	row.Name = name
	return row, body, err
}

// split separates the front matter from the text after it. ok is false if the
// file does not begin with front matter.
func split(text []byte) (front []byte, body string, ok bool) {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, begins := bytes.CutPrefix(text, []byte(fence+"\n"))
	if !begins {
		return nil, string(text), false
	}
	at := 0
	for line := range bytes.Lines(rest) {
		if strings.TrimRight(string(line), " \t\n") == fence {
			return rest[:at], strings.TrimLeft(string(rest[at+len(line):]), "\n"), true
		}
		at += len(line)
	}
	return nil, string(text), false
}

// Builtin returns the rows of the built-in files, by name.
func Builtin() []board.RoleRow {
	var rows []board.RoleRow
	for _, name := range contracts.Names() {
		if text, ok := contracts.Document(name); ok && filepath.Dir(name) == "roles" {
			row, _, err := Parse(name, []byte(text))
			if err != nil {
				panic(err) // a test reads them all
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// IsBuiltin reports whether a role has a built-in file.
func IsBuiltin(role board.Role) bool {
	return slices.ContainsFunc(Builtin(), func(row board.RoleRow) bool { return row.Name == role })
}

// A MissingPersona is a persona that cannot be read.
type MissingPersona struct {
	Role board.Role
	Path string // in the project, "" if the row names no file
	Err  error
}

// Error names the role, the path and the cause.
func (m *MissingPersona) Error() string {
	if m.Path == "" {
		return fmt.Sprintf("the role %s has no persona: %v", m.Role, m.Err)
	}
	return fmt.Sprintf("the persona of %s cannot be read: %s: %v", m.Role, m.Path, m.Err)
}

// Unwrap returns the cause.
func (m *MissingPersona) Unwrap() error { return m.Err }

// Persona returns the text that agents of a role are told, without front matter: of the row's
// file among those of the project, or the built-in text. The error is a [*MissingPersona].
func Persona(row *board.RoleRow, project fs.FS) (string, error) {
	if row.Persona == "" {
		text, ok := contracts.Document("roles/" + string(row.Name) + ".md")
		if !ok {
			return "", &MissingPersona{Role: row.Name, Err: errors.New("it is not built in, and its row names no file")}
		}
		_, body, _ := split([]byte(text))
		return body, nil
	}
	text, err := ReadFile(project, row.Persona)
	if err != nil {
		return "", &MissingPersona{row.Name, row.Persona, err}
	}
	_, body, _ := split(text)
	return body, nil
}

// ReadFile reads a file of a project, at most maxFile bytes.
func ReadFile(project fs.FS, path string) ([]byte, error) {
	file, err := project.Open(path)
	if err != nil {
		return nil, contracts.CauseOf(err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = errors.New("it is larger than 64 KiB")
	}
	return text, contracts.CauseOf(err)
}
