package automation

import "strings"

// readStories reads the stories of a list in Markdown: items with a box that have an id
// such as US-001, or that stand below a heading of stories. Where the file says which paths
// are allowed and which excluded, any such item is a story that is none of the criteria:
// only work that changes files has such bounds.
func (r *reader) readStories() {
	bounded := len(r.allowed) > 0 && len(r.excluded) > 0
	title := ""
	for _, one := range r.prose {
		if one.fenced {
			continue
		}
		if isHeading(one.text) {
			title = lower(strings.Trim(one.text, " \t#:"))
			continue
		}
		text, isBoxed := boxOf(one.text)
		switch {
		case !isBoxed || criteriaTitles()[title]:
		case bounded || storyTitles()[title] || hasStoryID(text):
			r.stories = append(r.stories, Evidence{one.number, text})
		}
	}
}

// boxOf is what stands after the box of an item: [ ] or [x].
func boxOf(text string) (after string, ok bool) {
	text = strings.TrimLeft(text, " \t")
	rest := strings.TrimLeft(text, "0123456789")
	isNumbered := len(rest) < len(text) && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") "))
	if !isNumbered && !startsWithBullet(rest) {
		return "", false
	}
	rest = strings.TrimLeft(rest[2:], " ")
	if len(rest) < 4 || rest[0] != '[' || strings.IndexByte(" xX", rest[1]) < 0 || rest[2] != ']' || rest[3] != ' ' {
		return "", false
	}
	return strings.Trim(rest[3:], " \t"), true
}

// hasStoryID reports texts that begin with the id of a story.
func hasStoryID(text string) bool {
	id, _, found := strings.Cut(strings.TrimLeft(text, "*`"), ":")
	number, ok := strings.CutPrefix(lower(strings.TrimRight(id, "*`")), storyID)
	return found && ok && number != "" && strings.Trim(number, "0123456789") == ""
}
