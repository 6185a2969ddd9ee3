package git

import (
	"fmt"
	"strings"
)

// A repoFormat is what a repository's own file says of its form. In parseFormat are the
// forms that are read in process; git is asked about all others.
type repoFormat struct {
	hashLen        int
	worktreeConfig bool
	bare           bool // core.bare
	workTree       bool // core.worktree is set

	clone string // liza.clone: the git directory of the clone that this checkout belongs to
}

// parseFormat reads the form from the lines of a repository's own file. The error wraps
// errAskGit.
func parseFormat(lines []configLine) (repoFormat, error) {
	format, version := repoFormat{hashLen: 40}, ""
	object := ""
	for _, line := range lines {
		var err error
		switch line.key {
		case "core.repositoryformatversion":
			version = line.value
			if version == "" || len(version) > 5 || strings.Trim(version, "0123456789") != "" {
				err = line.askGit() // which refuses it, whatever a later line says
			}
		case "extensions.worktreeconfig":
			format.worktreeConfig, err = line.isTrue()
		case "extensions.objectformat":
			if object != "" || line.value == "" {
				err = line.askGit()
			}
			object = line.value
		case "extensions.partialclone":
			if line.value == "" {
				err = line.askGit()
			}
		case "extensions.preciousobjects":
			_, err = line.isTrue()
		case "extensions.noop":
		default:
			if strings.HasPrefix(line.key, "extensions.") {
				err = line.askGit()
			}
			if err == nil {
				err = format.readCore(line)
			}
		}
		if err != nil {
			return format, err
		}
	}
	switch {
	case version != "0" && version != "1", version == "0" && object != "":
		return format, fmt.Errorf("%w: version %q of the repository's form", errAskGit, version)
	case object == "sha256":
		format.hashLen = 64
	case object != "" && object != "sha1":
		return format, fmt.Errorf("%w: objects are %q", errAskGit, object)
	}
	return format, nil
}

// readCore reads what a line says of the work tree.
func (f *repoFormat) readCore(line configLine) (err error) {
	switch line.key {
	case "core.bare":
		f.bare, err = line.isTrue()
	case "core.worktree":
		f.workTree = true
	case CloneKey:
		f.clone = line.value
	}
	return err
}

// isTrue reads the value as a truth value; one that is left out is true.
func (l configLine) isTrue() (bool, error) {
	is, known := ParseBool(l.value)
	if !known {
		return false, l.askGit()
	}
	return is || l.bare, nil
}

// askGit is the error of a value whose meaning git has to say, or that it refuses.
func (l configLine) askGit() error { return fmt.Errorf("%w: %s is %q", errAskGit, l.key, l.value) }
