package provider

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/flow"
)

// A Provider is a program that agents can be, with the model that it shall
// use. The zero value is none.
type Provider struct {
	Row
	// Choice is the model, "" for the one that the program takes by itself.
	Choice string
}

// Find reads a provider as people write it: NAME or NAME:MODEL of the
// catalogue; exec:COMMAND is any program, run by the shell, and acp:COMMAND one
// that speaks the Agent Client Protocol; script is the built-in deterministic
// agent, which the git-liza at self runs.
func (c Catalogue) Find(text, self string) (Provider, error) {
	name, rest, more := strings.Cut(text, ":")
	i := slices.IndexFunc(c, func(r Row) bool { return r.Name == name })
	if i < 0 || more && strings.TrimSpace(rest) == "" {
		return Provider{}, c.unknown(text)
	}
	p := Provider{Row: c[i]}
	switch name {
	case "exec", "acp":
		if !more {
			return Provider{}, c.unknown(text)
		}
		p.Binary, p.Args = proc.Shell(rest)
	case "script":
		if more {
			return Provider{}, c.unknown(text)
		}
		p.Binary, p.Args = self, []string{"script-agent"}
	default:
		p.Choice = rest
	}
	return p, nil
}

func (c Catalogue) unknown(text string) error {
	return fmt.Errorf("%q is no provider: it is script or exec:COMMAND", text)
}

// Command is the program and the arguments of a session.
func (p Provider) Command(role flow.Role, s Spawn) (path string, args []string) {
	args = slices.Clone(p.Args)
	if p.Choice != "" {
		args = append(args, p.Model...)
	}
	args = append(args, p.Roles.For(role)...)
	switch {
	case s.Resume != "":
		args = append(args, p.Resume...)
	case s.Session != "":
		args = append(args, p.Session...)
	}
	return p.Binary, p.fill(args, s)
}

// NewSession is an id that a provider's session can be given: a random UUID.
func NewSession() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Set are the variables, NAME=VALUE, that the program gets in a role.
func (p Provider) Set(role flow.Role, s Spawn) []string {
	return p.fill(append(slices.Clone(p.EnvSet), p.EnvFor.For(role)...), s)
}

// fill puts values in the place of placeholders.
func (p Provider) fill(words []string, s Spawn) []string {
	session := s.Session
	if s.Resume != "" {
		session = s.Resume
	}
	places := strings.NewReplacer("{model}", p.Choice, "{session}", session, "{dir}", s.Dir, "{common}", s.Common)
	for i, word := range words {
		words[i] = places.Replace(word)
	}
	return words
}
