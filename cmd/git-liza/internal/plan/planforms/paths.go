package planforms

import "strings"

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
