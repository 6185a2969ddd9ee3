package provider

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Provider is a row whose program can be run as an agent, and where that runs. The zero
// value is none.
type Provider struct {
	Row
	Launcher launcher.Launcher
}

// With is the provider with a model. The error says that its row does not tell how a
// model is chosen.
func (p Provider) With(model string) (Provider, error) {
	if !p.takesModel() {
		return p, fmt.Errorf("%s takes no model here: liza.provider.%s.model-args does not say how", p.Name, p.Name)
	}
	p.Model = model
	return p, nil
}

// Command is the program and the arguments of a session.
func (p Provider) Command(s Spawn) (path string, args []string) {
	for _, part := range []struct {
		given bool
		words []string
	}{
		{true, p.Args},
		{p.Model != "", p.ModelArgs},
		{true, p.Roles.For(s.Row)},
		{s.Domain != nil, p.Confined},
		{s.Row != nil && s.Row.Has(board.ToolWeb), p.Web},
		{s.System != "", p.System},
		// These come last, because codex takes them as a command with its own arguments.
		{s.Resume != "", p.Resume},
		{s.Resume == "" && s.Session != "", p.Session},
	} {
		if part.given {
			args = append(args, part.words...)
		}
	}
	return p.Binary, p.fillPlaceholders(args, s)
}

// NewSession is an id that a provider's session can be given: a random UUID.
func NewSession() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Set lists the variables, NAME=VALUE, that the row sets for the program in a session.
func (p Provider) Set(s Spawn) []string {
	words := append(slices.Clone(p.EnvSet), p.EnvFor.For(s.Row)...)
	if p.Model == "" {
		words = slices.DeleteFunc(words, func(word string) bool { return strings.Contains(word, "{model}") })
	}
	return p.fillPlaceholders(words, s)
}

// Prepare writes the files that the program's arguments name. Nothing else may depend
// on them.
func (p Provider) Prepare(s Spawn) error {
	for name, text := range p.Files {
		if err := updateFile(filepath.Join(p.folder(s), name), []byte(text)); err != nil {
			return fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	return nil
}

func (p Provider) folder(s Spawn) string {
	return filepath.Join(s.Common, layout.Private, "providers", p.Name)
}

// updateFile gives a file a content, unless it has that already.
func updateFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	return git.ReplaceFile(path, content)
}

// placeholder matches {model} and the like. In quotes, a path can continue below the
// folder.
var placeholder = pattern.Late(`\{(model|session|system|dir|common|files|tools[|-]?)\}|\{"(system|dir|common|files)((?:/[\w.-]+)*)"\}`)

func mentionsModel(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, "{model}") })
}

// fillPlaceholders puts values in the place of placeholders.
func (p Provider) fillPlaceholders(words []string, s Spawn) []string {
	values := map[string]string{"model": p.Model, "session": s.Session, "system": s.System, "dir": s.Dir, "common": s.Common, "files": p.folder(s),
		"tools": strings.Join(p.Tools.named(s.Row), ","), "tools|": strings.Join(p.Tools.named(s.Row), "|"),
		"tools-": strings.Join(Tools{p.Tools.Read, nil, p.Tools.Run, p.Tools.Web}.named(s.Row), ",")}
	if s.Resume != "" {
		values["session"] = s.Resume
	}
	for i, word := range words {
		words[i] = placeholder().ReplaceAllStringFunc(word, func(text string) string {
			m := placeholder().FindStringSubmatch(text)
			if m[1] != "" {
				return values[m[1]]
			}
			return quoteJSON(values[m[2]] + m[3])
		})
	}
	return words
}

// quoteJSON is text as a string of JSON, which TOML reads too.
func quoteJSON(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always has a form
	return strings.TrimSuffix(b.String(), "\n")
}
