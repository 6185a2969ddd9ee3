package git

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
)

// A PlacedSetting is one line of git's configuration with the place where git
// found it.
type PlacedSetting struct {
	Setting
	Place string // a file, absolute, or in git's words what is none, such as "command line:"
	Own   bool   // the file is the repository's own
}

// SettingsUnder reads what git has for all keys that begin with one of the
// prefixes, as it is now, in the order in which git reads it.
func (c *RepoConfiguration) SettingsUnder(ctx context.Context, prefixes ...string) ([]PlacedSetting, error) {
	out, err := c.repo.Git(ctx, "config", "--null", "--show-origin", "--list")
	if err != nil {
		return nil, err
	}
	own := filepath.Join(c.repo.commonDir, "config")
	var list []PlacedSetting
	for fields := strings.Split(string(out), "\x00"); len(fields) > 1; fields = fields[2:] {
		for _, one := range parseConfig([]byte(fields[1])) {
			if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(one.Key, p) }) {
				continue
			}
			place := fields[0]
			if path, ok := strings.CutPrefix(place, "file:"); ok {
				if place = path; !filepath.IsAbs(place) {
					place = filepath.Join(c.repo.commonDir, place)
				}
			}
			list = append(list, PlacedSetting{one, place, filepath.Clean(place) == own})
		}
	}
	return list, nil
}

// writtenConfig is the file that remembers, line by line, what git liza itself
// writes into the repository's configuration, from the first mark on. It is derived; without it a setting
// that git liza made during a session is taken for the session's.
func (c *RepoConfiguration) writtenConfig() string {
	return filepath.Join(c.repo.commonDir, layout.Private, "configured")
}

// maxWrittenConfig bounds that file, in bytes: from there on it begins anew.
const maxWrittenConfig = 256 << 10

// NoteConfig remembers what is about to be written; args are what would follow
// `git config`. If it cannot be remembered, a supervisor may put the setting back, but
// the command does not fail.
func (c *RepoConfiguration) NoteConfig(args ...string) {
	values := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--") })
	if slices.Contains(args, "--unset-all") {
		values = values[:1]
	}
	values[0] = canonicalKey(values[0])
	line := writtenLine(values...)
	c.here.Store(line, true)
	flags := os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(c.writtenConfig()); err == nil && info.Size() > maxWrittenConfig {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(c.writtenConfig(), flags, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString(line)
}

// Expect notes that another command of this user gives a key a value, as if this process did.
func (c *RepoConfiguration) Expect(key, value string) { c.here.Store(writtenLine(key, value), true) }

// WroteHere answers like WroteSince, for what this process itself has written or expects: a
// session can write the file, and not this.
func (c *RepoConfiguration) WroteHere(key string, value ...string) bool {
	_, wrote := c.here.Load(writtenLine(append([]string{key}, value...)...))
	return wrote
}

func writtenLine(words ...string) string { return fmt.Sprintf("%q\n", words) }

// A ConfigMark is a moment, for [RepoConfiguration.WroteSince].
type ConfigMark int64

// MarkConfig returns the mark of now. What is written from the first mark on is
// remembered.
func (c *RepoConfiguration) MarkConfig() ConfigMark {
	f, err := OpenOwn(c.writtenConfig(), os.O_APPEND)
	if err != nil {
		return 0
	}
	defer f.Close()
	end, _ := f.Seek(0, io.SeekEnd)
	return ConfigMark(end)
}

// WroteSince answers, for what git liza itself has written into the
// repository's configuration since a moment, whether it gave a key a value, and
// without a value whether it took the key away.
func (c *RepoConfiguration) WroteSince(mark ConfigMark) func(key string, value ...string) bool {
	data, _ := ReadSmall(c.writtenConfig())
	if int(mark) <= len(data) { // else it began anew
		data = data[mark:]
	}
	lines := strings.SplitAfter(string(data), "\n")
	return func(key string, value ...string) bool {
		return slices.Contains(lines, writtenLine(append([]string{key}, value...)...))
	}
}
