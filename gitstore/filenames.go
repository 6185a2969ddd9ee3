package gitstore

import (
	"slices"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The bounds of file systems: NAME_MAX and PATH_MAX of Linux, and the depth of
// trees that git for Windows reads (core.maxTreeDepth).
const (
	maxName     = 255
	maxFilePath = 4095
	maxFolders  = 512
)

// hfsIgnored are the code points that HFS+ ignores in names, after utf8.c of
// git.
const hfsIgnored = "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"

// ntfsGit matches names that NTFS takes for .git, ntfsModules those for
// .gitmodules, after path.c of git: short names, streams, blanks and dots at
// the end.
var (
	ntfsGit     = pattern.Late(`(?i)^(\.git|git~1)[ .]*(:|\\|$)`)
	ntfsModules = pattern.Late(`(?i)^(\.gitmodules|gitmod~[1-4]|gi7eba~[1-9][0-9]?|gi7eb~[1-9][0-9]{2}|gi7e~[1-9][0-9]{3}|gi7~[1-9][0-9]{4}|gi~[1-9][0-9]{5}|g~[1-9][0-9]{6}|~[1-9][0-9]{6})[ .]*(:|$)`)
)

// windowsReserved matches the names of devices, after is_valid_win32_path of
// compat/mingw.c in git.
var windowsReserved = pattern.Late(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9]|conin\$|conout\$) *([.:]|$)`)

// badPlatformName says why git on some platform would refuse to check out a new
// file or folder of this name, after verify_path of read-cache.c in git with
// core.protectHFS and core.protectNTFS; "" if none would.
func badPlatformName(name string, link bool) string {
	hfs := hfsFolded(name)
	switch {
	case git.IsBadName(name):
		return "is not a file name"
	case len(name) > maxName:
		return "has more than 255 bytes, which no file system accepts"
	case hfs == ".git" || slices.ContainsFunc(strings.Split(name, `\`), ntfsGit().MatchString): // NTFS takes a backslash for a slash
		return "is .git on some file systems"
	case link && (hfs == ".gitmodules" || ntfsModules().MatchString(name)):
		return "is a symbolic link in place of .gitmodules"
	case strings.ContainsAny(name, "\\:*?\"<>|") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "holds a character that git on Windows does not check out"
	case strings.HasSuffix(name, " ") || strings.HasSuffix(name, "."):
		return "ends in a blank or a dot, which git on Windows does not check out"
	case windowsReserved().MatchString(name):
		return "is a device on Windows"
	}
	return ""
}

// hfsFolded is the form of a name by which HFS+ compares it, as far as git
// emulates that.
func hfsFolded(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(hfsIgnored, r) {
			return -1
		}
		return r
	}, name))
}

// plainASCII reports whether a name has only ASCII characters. File systems
// confuse such a name only with one that differs in case.
func plainASCII(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
