package launcher

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
)

// The kinds of launchers, as the configuration names them.
const (
	Process     = "process"
	InContainer = "container"
	Auto        = "auto"
)

// Settings are what git's configuration says of launchers; the zero value says nothing.
type Settings struct {
	Kind                        string
	Engine, Image, User, Memory string
	Processes                   int
}

const (
	usualMemory    = "4g"
	usualProcesses = 1024
)

// engines are the programs that are looked for, in this order: podman needs no server and
// no root.
func engines() []string { return []string{"podman", "docker"} }

// Choose is the launcher that the settings ask for, in a main work tree. With [Auto] it is a
// container where the work tree has a devcontainer.json and an engine answers. What keeps a
// chosen container from being made is told by [Launcher.Check].
func Choose(ctx context.Context, s Settings, tree string, environ []string) Launcher {
	file := filepath.Join(tree, ".devcontainer", "devcontainer.json")
	l := Launcher{Image: s.Image, User: cmp.Or(s.User, strconv.Itoa(os.Geteuid())+":"+strconv.Itoa(os.Getegid())),
		Memory: cmp.Or(s.Memory, usualMemory), Processes: cmp.Or(s.Processes, usualProcesses), Environ: environ}
	tried := engines()
	if s.Engine != "" {
		tried = []string{s.Engine}
	}
	switch s.Kind {
	case InContainer:
		l.Engine = cmp.Or(l.pickEngine(ctx, tried, func(err error) bool { return !proc.Unstartable(err) }), tried[0])
	case Auto:
		if _, err := os.Stat(file); err != nil {
			return Launcher{}
		}
		l.Engine = l.pickEngine(ctx, tried, func(err error) bool { return err == nil })
	}
	if !l.Contains() {
		return Launcher{}
	}
	l.Fault = l.readImage(file)
	if uid, _, _ := strings.Cut(l.User, ":"); l.Fault == nil && (uid == "0" || uid == "root") {
		l.Fault = &Unable{"a session in a container does not run as root, and its user would be " + l.User, "git config liza.container.user 1000:1000"}
	}
	return l
}

// pickEngine is the first engine whose answer is good enough, else "".
func (l Launcher) pickEngine(ctx context.Context, engines []string, good func(error) bool) string {
	for _, name := range engines {
		l.Engine = name
		if _, err := l.ask(ctx, engineLimit, l.infoArguments()...); good(err) {
			return name
		}
	}
	return ""
}

// readImage takes the image from a devcontainer.json, unless the settings have named one.
func (l *Launcher) readImage(file string) *Unable {
	const hint = "git config liza.container.image IMAGE"
	place := "liza.container.image"
	if l.Image == "" {
		place = file
		text, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return &Unable{"no image is chosen for containers", hint}
		}
		if err == nil {
			l.Image, err = devcontainerImage(text)
		}
		if err != nil {
			return &Unable{fmt.Sprintf("%s: %v", place, err), hint}
		}
	}
	if l.Image[0] == '-' || strings.ContainsAny(l.Image, "${ \t\n") {
		return &Unable{fmt.Sprintf("%s: %q is no name of an image", place, l.Image), hint}
	}
	return nil
}

// devcontainerImage is the image that a devcontainer.json names.
func devcontainerImage(text []byte) (string, error) {
	var d struct {
		Image string `json:"image"`
	}
	if err := json.Unmarshal(plainJSON(text), &d); err != nil {
		return "", err
	}
	if d.Image == "" {
		return "", errors.New("it names no image, and none is built")
	}
	return d.Image, nil
}

// plainJSON is JSON with comments, as editors write it, without the comments and without
// commas before a closing bracket.
func plainJSON(text []byte) []byte {
	var out []byte
	comma := -1 // where a comma stands after which only blanks and comments came
	for i := 0; i < len(text); i++ {
		rest := string(text[i:min(i+2, len(text))])
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(text)-1)
			out, comma, i = append(out, text[i:end+1]...), -1, end
		case rest == "//":
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case rest == "/*":
			end := strings.Index(string(text[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case c == ',':
			comma = len(out)
			out = append(out, c)
		default:
			if (c == '}' || c == ']') && comma >= 0 {
				out[comma] = ' '
			}
			if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
				comma = -1
			}
			out = append(out, c)
		}
	}
	return out
}
