package provider

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A Catalogue lists the known providers in the order in which they are shown.
type Catalogue []Row

//go:embed catalogue.yaml
var builtin []byte

var builtinRows = sync.OnceValue(func() (c Catalogue) {
	if err := document.Decode("catalogue.yaml", builtin, &c); err != nil {
		panic(err) // a test reads it
	}
	for i := range c {
		if c[i].ownCommand() == "" {
			c[i].Env = append(c[i].Env, commonVariables...)
		}
	}
	return c
})

// commonVariables are what any program needs that calls a service over the network:
// proxies, certificates, and the folders of its own files.
var commonVariables = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
}

// Builtin is a copy of the catalogue that is built in.
func Builtin() Catalogue { return slices.Clone(builtinRows()) }

// FindRow is the row with a name, nil if there is none.
func (c Catalogue) FindRow(name string) *Row {
	i := slices.IndexFunc(c, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &c[i]
}

// Find reads a provider as people write it: NAME or NAME:MODEL of the catalogue.
// exec:COMMAND is any program, run by the shell, and acp:COMMAND a program that
// speaks the Agent Client Protocol. script, the built-in deterministic agent, and
// gates are commands of the git-liza at the path self.
func (c Catalogue) Find(text, self string) (Provider, error) {
	name, rest, more := strings.Cut(text, ":")
	row := c.FindRow(name)
	if row == nil {
		return Provider{}, fmt.Errorf("%q is no provider; there are %s", text, c.providerNames())
	}
	p := Provider{Row: *row}
	p.Loads = c.Loads(p.Row)
	switch {
	case more && strings.TrimSpace(rest) == "":
		return Provider{}, fmt.Errorf("%q: nothing stands after the colon", text)
	case row.takesCommand() && !more:
		return Provider{}, fmt.Errorf("%s needs a command: %s:COMMAND", name, name)
	case row.takesCommand():
		p.Binary, p.Args = proc.Shell(rest)
	case row.ownCommand() != "" && more:
		return Provider{}, fmt.Errorf("%q: %s has neither model nor command", text, name)
	case row.ownCommand() != "":
		p.Binary, p.Args = self, []string{row.ownCommand()}
	case more:
		return p.With(rest)
	}
	return p, nil
}

// Loads are the patterns of what the program of a row loads by itself: those of all rows where
// the row does not say which program it is, or what that loads.
func (c Catalogue) Loads(row Row) []string {
	if row.ownCommand() != "" || len(row.Loads) > 0 && !row.takesCommand() {
		return row.Loads
	}
	var list []string
	for _, r := range c {
		list = append(list, r.Loads...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// providerNames are the providers as people write them, for a sentence.
func (c Catalogue) providerNames() string {
	names := make([]string, len(c))
	for i, r := range c {
		names[i] = r.Name
		if r.takesCommand() {
			names[i] += ":COMMAND"
		}
	}
	return strings.Join(names, ", ")
}
