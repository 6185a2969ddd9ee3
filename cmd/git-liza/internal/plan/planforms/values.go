package planforms

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
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

// pathsIn are the paths that the entries of lists name.
func pathsIn(lines []line) (list []string) {
	for _, one := range items(lines) {
		if p := pathOf(one.text); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// pathOf is the path that an entry begins with: code, or a word.
func pathOf(text string) string {
	if rest, ok := strings.CutPrefix(text, "`"); ok {
		text, _, _ = strings.Cut(rest, "`")
		return globOf(text)
	}
	word, _, _ := strings.Cut(strings.Trim(text, "*"), " ")
	word = strings.Trim(word, "`,:;()")
	if strings.ContainsAny(word, "./") && !strings.HasPrefix(word, "http") {
		return globOf(word)
	}
	return ""
}

// globOf is a path as patterns of the board say it: a folder is all that it holds.
func globOf(text string) string {
	text = strings.TrimPrefix(strings.TrimSpace(text), "./")
	if strings.HasSuffix(text, "/") {
		text += "**"
	}
	return text
}

// idOf makes words an id that a board takes: the same words always give the same id.
func idOf(words ...string) string {
	text := strings.Join(words, "-")
	id := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, text)
	for strings.Contains(id, "..") {
		id = strings.ReplaceAll(id, "..", ".")
	}
	id = strings.Trim(id, ".-_")
	if id == "" || id[0] >= '0' && id[0] <= '9' {
		id = strings.TrimSuffix("t-"+id, "-")
	}
	if strings.HasSuffix(strings.ToLower(id), ".lock") {
		id = id[:len(id)-len(".lock")] + "-lock"
	}
	if len(id) > 64 {
		sum := sha256.Sum256([]byte(text))
		id = strings.TrimRight(id[:55], ".-_") + "-" + hex.EncodeToString(sum[:4])
	}
	return id
}

func taskID(words ...string) board.TaskID { return board.TaskID(idOf(words...)) }
