package planforms

import (
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/document"
)

var keyPattern = pattern.Late(`^(\s*(?:- )?[A-Za-z0-9_.-]+:)\s*(null|Null|NULL|~)?\s*(?:#.*)?$`)

// withoutNulls makes keys of a text in YAML that have no value have an empty one; our
// reader takes no null. Lines stay where they are.
func withoutNulls(text string) string {
	list := strings.Split(text, "\n")
	for i, one := range list {
		m := keyPattern().FindStringSubmatch(strings.TrimRight(one, "\r"))
		if m != nil && (m[2] != "" || !holdsMore(one, list[i+1:])) {
			list[i] = m[1] + ` ""`
		}
	}
	return strings.Join(list, "\n")
}

// holdsMore reports whether the value of a key begins on one of the lines after it.
func holdsMore(key string, after []string) bool {
	for _, one := range after {
		bare := strings.TrimLeft(one, " ")
		if strings.TrimSpace(bare) == "" || bare[0] == '#' {
			continue
		}
		indent, own := len(one)-len(bare), len(key)-len(strings.TrimLeft(key, " -"))
		return indent > own || indent == own && strings.HasPrefix(bare, "- ")
	}
	return false
}

// textOf is the text of a value, "" of lists and mappings.
func textOf(v document.Value) string {
	text, _ := v.Text()
	return strings.TrimSpace(text)
}

// textsOf are the texts of a list, or of one text, with commas between them.
func textsOf(v document.Value) (list []string) {
	for _, one := range v.Entries() {
		if text := textOf(one); text != "" {
			list = append(list, text)
		}
	}
	if text := textOf(v); text != "" {
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, strings.TrimSpace(part))
		}
	}
	return list
}
