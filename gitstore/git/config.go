package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// ErrNoIdentity is wrapped by Identity if git knows no name and address of its user.
// The command line tests it to show the two `git config` commands to type.
var ErrNoIdentity = errors.New("git does not know who you are")

// A Configuration is what git's configuration says. All of it is read when
// something is first asked for, in process or by one git process. It is safe for use from
// several goroutines.
type Configuration struct {
	list func(context.Context) ([]byte, error) // git config --null --list

	mu       sync.Mutex
	settings map[string]string // nil until needed
	lines    []Setting         // the same, with all values of a key
}

// A RepoConfiguration is that of a repository: the repository's own file can be
// changed, and git is asked where only git knows.
type RepoConfiguration struct {
	Configuration

	repo  *Repo
	here  sync.Map   // the lines of writtenConfig that this process wrote, or expects
	files []seenFile // what was last read
	whole bool       // these are all files that count
}

// A Setting is one line of git's configuration. Section and name of the key are
// in lower case, as git has them; what stands between is as it was written.
type Setting struct{ Key, Value string }

// UserConfiguration is what counts for the user in a folder that lies in no
// repository.
func UserConfiguration(dir string) *Configuration {
	return &Configuration{list: func(ctx context.Context) ([]byte, error) {
		p := newProcess(ctx, gitLimit, listConfig, locationVars)
		defer p.cancel()
		p.Dir = dir
		return p.run()
	}}
}

var listConfig = []string{"config", "--null", "--list"}

// Config returns the value git has for a key such as "liza.fsync", "" if it
// has none.
func (c *Configuration) Config(ctx context.Context, key string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return "", err
	}
	return c.settings[canonicalKey(key)], nil
}

// ExpandHome is a path from the configuration, with the user's home for a first ~/.
func ExpandHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		return filepath.Join(home, path[2:])
	}
	return path
}

// ConfigUnder returns what git has for all keys that begin with prefix, such as
// "liza.provider.", in the order in which git reads them. A key may come
// several times.
func (c *Configuration) ConfigUnder(ctx context.Context, prefix string) ([]Setting, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	return lists.Where(c.lines, func(one Setting) bool { return strings.HasPrefix(one.Key, prefix) }), nil
}

func (c *Configuration) read(ctx context.Context) error {
	if c.settings != nil {
		return nil
	}
	out, err := c.list(ctx)
	if err != nil {
		return err
	}
	c.lines, c.settings = parseConfig(out), map[string]string{}
	for _, one := range c.lines {
		c.settings[one.Key] = one.Value // the last one wins
	}
	return nil
}

// Renew forgets what was read of the configuration if a file has changed since: any of
// them, or where only git knows them, the repository's own. A process that lasts asks for
// that where it matters.
func (c *RepoConfiguration) Renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hasChanged() {
		c.settings = nil
	}
}

// Values returns all values of a key as git has them now, also to a process that read the
// configuration before: git is asked, unless all files that count are known and are as they
// were read.
func (c *RepoConfiguration) Values(ctx context.Context, key string) (list []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return nil, err
	}
	lines := c.lines
	if !c.whole || c.hasChanged() {
		out, err := c.repo.Git(ctx, listConfig...)
		if err != nil {
			return nil, err
		}
		lines = parseConfig(out)
	}
	key = canonicalKey(key)
	lines = lists.Where(lines, func(one Setting) bool { return one.Key == key })
	return lists.Of(lines, func(one Setting) string { return one.Value }), nil
}

// Files are the files of the configuration, with what they include: by absolute paths, but for those of
// a scope, as git names them (git-config(1), --show-scope).
func (c *RepoConfiguration) Files(ctx context.Context, except string) (list []string, err error) {
	out, err := c.repo.Git(ctx, append(slices.Clone(listConfig), "--show-scope", "--show-origin")...)
	for one := range slices.Chunk(strings.Split(string(out), "\x00"), 3) {
		if len(one) == 3 && one[0] != except && strings.HasPrefix(one[1], "file:") {
			list = lists.Add(list, AbsoluteIn(c.repo.commonDir, one[1][len("file:"):]))
		}
	}
	return list, err
}

func (c *RepoConfiguration) hasChanged() bool {
	return slices.ContainsFunc(c.files, func(f seenFile) bool { return !f.isSame() })
}

func (c *RepoConfiguration) ownFile() string { return filepath.Join(c.repo.commonDir, "config") }

// listSettings lists the settings, in process where they are read for certain as git reads
// them. A file is looked at before it is read, so that no change is missed.
func (c *RepoConfiguration) listSettings(ctx context.Context) ([]byte, error) {
	reading := configReading{gitDir: c.repo.gitDir, commonDir: c.repo.commonDir, system: c.repo.program.System}
	if c.whole = reading.readAll() == nil; c.whole {
		c.files = reading.files
		return reading.list(), nil
	}
	own, _ := os.Stat(c.ownFile())
	c.files = []seenFile{{c.ownFile(), own}}
	return c.repo.Git(ctx, listConfig...)
}

// AnyRemote is the remote that a hint can name: origin, or else the first by
// name, "" if none is configured.
func (c *RepoConfiguration) AnyRemote(ctx context.Context) (string, error) {
	if url, err := c.Config(ctx, "remote.origin.url"); err != nil || url != "" {
		return "origin", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.read(ctx); err != nil {
		return "", err
	}
	first := ""
	for key := range c.settings {
		name, remote := strings.CutPrefix(strings.TrimSuffix(key, ".url"), "remote.")
		if remote && strings.HasSuffix(key, ".url") && (first == "" || name < first) {
			first = name
		}
	}
	return first, nil
}

// IsPartial tells whether a remote has promised objects that are not here.
func (c *RepoConfiguration) IsPartial(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.read(ctx) != nil {
		return false
	}
	for key, value := range c.settings {
		if strings.HasPrefix(key, "remote.") && strings.HasSuffix(key, ".promisor") && IsTrue(value) {
			return true
		}
	}
	return c.settings["extensions.partialclone"] != ""
}

// canonicalKey lowers section and variable but not the subsection, as git does.
func canonicalKey(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

// parseConfig reads `git config --null --list`; a key without a value is true.
func parseConfig(out []byte) []Setting {
	var list []Setting
	for _, item := range strings.Split(string(out), "\x00") {
		key, value, ok := strings.Cut(item, "\n")
		if !ok {
			value = "true"
		}
		if key != "" {
			list = append(list, Setting{key, value})
		}
	}
	return list
}

// tidyIdent leaves out of a name or an address what git leaves out too: angle
// brackets and control characters anywhere, and at both ends what ident.c calls
// crud.
func tidyIdent(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || unicode.IsControl(r) {
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " .,:;<>\"\\'")
}

// Identity returns the name and e-mail address that git would record as
// committer. It starts no process of its own when both are configured. The
// error wraps ErrNoIdentity if git has none and can guess none.
func (c *RepoConfiguration) Identity(ctx context.Context) (name, email string, err error) {
	name, err = c.firstOf(ctx, "GIT_COMMITTER_NAME", "committer.name", "user.name")
	if err != nil {
		return "", "", err
	}
	email, err = c.firstOf(ctx, "GIT_COMMITTER_EMAIL", "committer.email", "user.email")
	if err != nil {
		return "", "", err
	}
	if name, email = tidyIdent(name), tidyIdent(email); name != "" && email != "" {
		return name, email, nil
	}
	out, err := c.repo.Git(ctx, "var", "GIT_COMMITTER_IDENT")
	if ExitCode(err) == 128 {
		return "", "", fmt.Errorf("%w: user.name and user.email are not both set", ErrNoIdentity)
	}
	if err != nil {
		return "", "", err
	}
	ident := gitIdent().FindStringSubmatch(string(out))
	if ident == nil {
		return "", "", fmt.Errorf("%w: git says %q", ErrNoIdentity, out)
	}
	return ident[1], ident[2], nil
}

var gitIdent = pattern.Late(`^(.*) <(.*)> \d+ [+-]\d{4}\s*$`)

// crud is what git strips from the ends of names and addresses.
const crud = " \t\n\r.,:;<>\"\\'"

// firstOf returns the first that is set of an environment variable and some
// configuration keys, cleaned as git cleans a name.
func (c *RepoConfiguration) firstOf(ctx context.Context, env string, keys ...string) (string, error) {
	value := os.Getenv(env)
	for _, key := range keys {
		if value != "" {
			break
		}
		var err error
		if value, err = c.Config(ctx, key); err != nil {
			return "", err
		}
	}
	value = strings.Trim(value, crud)
	return strings.NewReplacer("<", "", ">", "", "\n", "").Replace(value), nil
}
