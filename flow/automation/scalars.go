package automation

import "strings"

// readList reads a list of paths: a line each, between brackets, or one path alone.
func (r *reader) readList(k key, to *[]Evidence) (err error) {
	parts := k.lines[:1]
	switch rest := k.lines[0].text; {
	case rest == "" || rest[0] == '#':
		parts = nil
		for _, one := range k.lines[1:] {
			text, isItem := strings.CutPrefix(strings.TrimLeft(one.text, " "), "-")
			if !isItem || text != "" && text[0] != ' ' {
				return r.errorAt(one.number, "%s is a list of paths, got %.40q", k.name, one.text)
			}
			parts = append(parts, line{number: one.number, text: strings.Trim(text, " \t")})
		}
	case rest[0] == '[':
		parts, err = r.readFlow(k, ']')
	case len(k.lines) > 1:
		err = r.errorAt(k.lines[1].number, "%s is a list of paths, got %.40q", k.name, k.lines[1].text)
	}
	if err != nil {
		return err
	}
	for _, part := range parts {
		if _, _, isKey := cutKey(part.text); isKey {
			return r.errorAt(part.number, "%s is a list of paths, got %.40q", k.name, part.text)
		}
		text, err := r.scalar(part.number, part.text)
		if err != nil {
			return err
		}
		add(to, part.number, text)
	}
	return nil
}

// readFlow reads the entries between brackets, which may go over several lines.
func (r *reader) readFlow(k key, closing byte) (parts []line, err error) {
	begin := k.lines[0].number
	var entry strings.Builder
	quote, at := byte(0), begin
	for i, one := range k.lines {
		text := one.text
		if i == 0 {
			text = text[1:]
		}
		for j := range len(text) {
			c := text[j]
			switch {
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '#' && (j == 0 || text[j-1] == ' '):
				text = text[:j]
			case c == '[' || c == '{':
				return nil, r.errorAt(one.number, "%s nests too deep: its entries are texts", k.name)
			case c == ',' || c == closing:
				if part := strings.Trim(entry.String(), " \t"); part != "" {
					parts = append(parts, line{number: at, text: part})
				} else if c == ',' {
					return nil, r.errorAt(one.number, "%s has an entry without text", k.name)
				}
				entry.Reset()
				if c == closing {
					return parts, r.checkEnd(k, i, text[j+1:])
				}
				continue
			}
			if j >= len(text) {
				break
			}
			if entry.Len() == 0 {
				if c == ' ' || c == '\t' {
					continue
				}
				at = one.number
			}
			entry.WriteByte(c)
		}
		if entry.Len() > 0 {
			entry.WriteByte(' ')
		}
	}
	return nil, r.errorAt(begin, "the bracket of %s is not closed", k.name)
}

// checkEnd refuses what stands after the closing bracket on a line of a key.
func (r *reader) checkEnd(k key, at int, rest string) error {
	rest = strings.Trim(rest, " \t")
	if rest != "" && rest[0] != '#' {
		return r.errorAt(k.lines[at].number, "%.40q stands after the end of %s", rest, k.name)
	}
	if at+1 < len(k.lines) {
		return r.errorAt(k.lines[at+1].number, "%.40q stands after the end of %s", k.lines[at+1].text, k.name)
	}
	return nil
}

// scalar is the text of a value, without quotes and comment.
func (r *reader) scalar(number int, text string) (string, error) {
	if text == "" {
		return "", r.errorAt(number, "a text is missing")
	}
	if err := r.checkMark(number, text); err != nil {
		return "", err
	}
	quote := text[0]
	if quote != '"' && quote != '\'' {
		if strings.IndexByte("|>[]{}%@`,", quote) >= 0 {
			return "", r.errorAt(number, "want a text on one line, got %.40q", text)
		}
		plain, _, _ := strings.Cut(text, " #")
		return strings.TrimRight(plain, " \t"), nil
	}
	end := strings.IndexByte(text[1:], quote)
	switch {
	case end < 0:
		return "", r.errorAt(number, "the quote is not closed on its line")
	case strings.ContainsRune(text[1:1+end], '\\') && quote == '"':
		return "", r.errorAt(number, "a text here has no escapes")
	}
	rest := strings.Trim(text[2+end:], " \t")
	if rest != "" && rest[0] != '#' {
		return "", r.errorAt(number, "%.40q stands after the quote", rest)
	}
	return text[1 : 1+end], nil
}

// readBlocks reads a class that Markdown declares without front matter: the key alone
// on its line, outside fences, with a mapping indented below it.
func (r *reader) readBlocks(body []line) error {
	for i := 0; i < len(body); i++ {
		if body[i].fenced || strings.TrimRight(body[i].text, " \t") != blockKey+":" || i+1 == len(body) || !isMember(body[i+1]) {
			continue
		}
		k := key{blockKey, []line{{number: body[i].number}}}
		for ; i+1 < len(body) && isMember(body[i+1]); i++ {
			k.lines = append(k.lines, body[i+1])
		}
		if err := r.readBlock(k); err != nil {
			return err
		}
	}
	return nil
}

// isMember reports an indented line with a key.
func isMember(one line) bool {
	text := strings.TrimLeft(one.text, " ")
	_, _, isKey := cutKey(text)
	return !one.fenced && isKey && len(text) < len(one.text)
}
