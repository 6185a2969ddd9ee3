package gitstore

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/gitstore/git"
)

// Bounds of what any file system takes: NAME_MAX and PATH_MAX of Linux, and how
// deep git goes into trees where it is built for Windows (core.maxTreeDepth).
const (
	maxName     = 255
	maxFilePath = 4095
	maxFolders  = 512
)

// hfsIgnored are the code points that HFS+ leaves out of names, by utf8.c of git.
const hfsIgnored = "\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\u206b\u206c\u206d\u206e\u206f\ufeff"

// ntfsGit are the names that NTFS takes for .git, and ntfsModules for
// .gitmodules, by path.c of git: short names, streams, blanks and dots at the
// end.
var (
	ntfsGit     = regexp.MustCompile(`(?i)^(\.git|git~1)[ .]*(:|\\|$)`)
	ntfsModules = regexp.MustCompile(`(?i)^(\.gitmodules|gitmod~[1-4]|gi7eba~[1-9][0-9]?|gi7eb~[1-9][0-9]{2}|gi7e~[1-9][0-9]{3}|gi7~[1-9][0-9]{4}|gi~[1-9][0-9]{5}|g~[1-9][0-9]{6}|~[1-9][0-9]{6})[ .]*(:|$)`)
)

// windowsReserved are the names of devices, by is_valid_win32_path of git's
// compat/mingw.c.
var windowsReserved = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[1-9]|lpt[1-9]|conin\$|conout\$) *([.:]|$)`)

// badPlatformName says why git on some platform would not check out a new file
// or folder of this name, as verify_path of git's read-cache.c has it with
// core.protectHFS and core.protectNTFS; "" if all would.
func badPlatformName(name string, link bool) string {
	hfs := hfsFolded(name)
	switch {
	case git.IsBadName(name):
		return "is no name of a file"
	case len(name) > maxName:
		return "has more than 255 bytes, and no file system takes it"
	case hfs == ".git" || gitInside(name):
		return "is .git on some file systems"
	case link && (hfs == ".gitmodules" || ntfsModules.MatchString(name)):
		return "is a symbolic link in place of .gitmodules"
	case strings.ContainsAny(name, "\\:*?\"<>|") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }):
		return "holds a character that git on Windows does not check out"
	case strings.HasSuffix(name, " ") || strings.HasSuffix(name, "."):
		return "ends in a blank or a dot, and git on Windows does not check it out"
	case windowsReserved.MatchString(name):
		return "is a device on Windows"
	}
	return ""
}

// hfsFolded is a name as HFS+ compares it, as far as git looks.
func hfsFolded(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(hfsIgnored, r) {
			return -1
		}
		return r
	}, name))
}

// gitInside finds what NTFS takes for .git, also between backslashes.
func gitInside(name string) bool {
	for part := range strings.SplitSeq(name, `\`) {
		if ntfsGit.MatchString(part) {
			return true
		}
	}
	return false
}

// plainASCII reports whether no file system takes another name for this one but
// for the case of entries.
func plainASCII(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
