package planforms

import "strings"

// A block is what stands between a tag of a page and its end.
type block struct {
	number int
	about  string // what stands in its tag
	lines  []line
}

// blocks are those of a tag, outside of code. Tags of one name do not nest.
func blocks(lines []line, tag string) (list []block) {
	var open *block
	for _, l := range lines {
		text := l.text
		for {
			if open == nil {
				at := strings.Index(text, "<"+tag)
				if at < 0 || l.fenced {
					break
				}
				about, rest, ok := strings.Cut(text[at+1+len(tag):], ">")
				if !ok || about != "" && about[0] != ' ' {
					break
				}
				open, text = &block{number: l.number, about: about}, rest
			}
			before, rest, closed := strings.Cut(text, "</"+tag+">")
			if before != "" || !closed {
				open.lines = append(open.lines, line{l.number, before, l.fenced, l.fence, l.code})
			}
			if !closed {
				break
			}
			list, open, text = append(list, *open), nil, rest
		}
	}
	if open != nil { // half a file
		list = append(list, *open)
	}
	return list
}

// inBlock are the lines of the first block of a tag.
func (p *page) inBlock(tag string) []line {
	if found := blocks(p.lines, tag); len(found) > 0 {
		return found[0].lines
	}
	return nil
}
