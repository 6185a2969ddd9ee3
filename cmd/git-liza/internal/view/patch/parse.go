package patch

import (
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// A File is what a patch changes in one file.
type File struct {
	Path  string // as the new version has it, the old one of a removed file
	Head  []string
	Lines []Line
	Added int
	Gone  int
}

// A Line is a line of a patch. A number is 0 in the version that lacks the line; of the
// head of a hunk both are.
type Line struct {
	Old, New int
	Sign     string // "+", "-", " " or "@" of the head of a hunk, "\\" of a remark
	Text     string // without the sign, as it stands in the file
}

// Parse reads a patch as git prints it without color.
func Parse(text string) []File {
	var list []File
	var in shown // counts the lines of the hunk
	old, now := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		inside := in.olds > 0 || in.news > 0
		if strings.HasPrefix(line, "diff --git ") && !inside {
			list = append(list, File{Path: pathOf(line)})
		}
		if len(list) == 0 {
			continue
		}
		f := &list[len(list)-1]
		m := hunkStart().FindStringSubmatch(line)
		switch {
		case inside || strings.HasPrefix(line, "\\") && len(f.Lines) > 0:
			f.add(line, &old, &now)
		case m != nil:
			old, _ = strconv.Atoi(m[1])
			now, _ = strconv.Atoi(m[2])
			f.Lines = append(f.Lines, Line{Sign: "@", Text: line})
		default:
			f.head(line)
		}
		in.line(line)
	}
	return list
}

var hunkStart = pattern.Late(`^@@ -(\d+)(?:,\d+)? \+(\d+)`)

// add adds a line of a hunk.
func (f *File) add(line string, old, now *int) {
	l := Line{Sign: " "}
	if line != "" {
		l.Sign, l.Text = line[:1], line[1:]
	}
	switch l.Sign {
	case "+":
		l.New = *now
		f.Added++
		*now++
	case "-":
		l.Old = *old
		f.Gone++
		*old++
	case " ":
		l.Old, l.New = *old, *now
		*old++
		*now++
	}
	f.Lines = append(f.Lines, l)
}

// head takes a line before the first hunk of a file.
func (f *File) head(line string) {
	for _, begins := range []string{"rename from ", "copy from ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity index", "Binary files"} {
		if strings.HasPrefix(line, begins) {
			f.Head = append(f.Head, line)
		}
	}
	for _, side := range []string{"+++ ", "--- ", "rename to ", "copy to "} {
		name, ok := strings.CutPrefix(line, side)
		if !ok || name == "/dev/null" {
			continue
		}
		name = unquoted(strings.TrimSuffix(name, "\t"))
		if side[0] == '+' || side[0] == '-' {
			_, name, _ = strings.Cut(name, "/")
		}
		if side != "--- " || f.Path == "" {
			f.Path = name
		}
	}
}

// pathOf is the path in the first line about a file, where both sides have the same; "" if
// they differ.
func pathOf(line string) string {
	names := strings.TrimPrefix(line, "diff --git ")
	if strings.HasPrefix(names, `"`) {
		first, _, _ := strings.Cut(names[1:], `" `)
		_, name, _ := strings.Cut(unquoted(`"`+first+`"`), "/")
		return name
	}
	half := names[:len(names)/2]
	other := strings.TrimPrefix(names[len(half):], " ")
	_, a, _ := strings.Cut(half, "/")
	if _, b, _ := strings.Cut(other, "/"); a != b {
		return ""
	}
	return a
}

// unquoted returns a name without git's quotes, in which other bytes are octal.
func unquoted(name string) string {
	if len(name) < 2 || name[0] != '"' {
		return name
	}
	name = name[1 : len(name)-1]
	return escape().ReplaceAllStringFunc(name, func(one string) string {
		if c, ok := map[string]string{`\n`: "\n", `\t`: "\t", `\"`: `"`, `\\`: `\`, `\r`: "\r", `\a`: "\a", `\b`: "\b", `\f`: "\f", `\v`: "\v"}[one]; ok {
			return c
		}
		n, err := strconv.ParseUint(one[1:], 8, 8)
		if err != nil {
			return one
		}
		return string([]byte{byte(n)})
	})
}

var escape = pattern.Late(`\\([0-7]{3}|.)`)
