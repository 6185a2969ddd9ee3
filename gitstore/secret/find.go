package secret

import "bytes"

// A Key is a text in the form of a key or token, and where it begins.
type Key struct {
	Offset int
	Text   string // of a private key a line of its body
}

// leastBody is the length in bytes of a line of a private key: a text can name the form of one.
const leastBody = 20

// Find returns the keys and tokens in a text. Those that only the words before them tell, such
// as passwords in addresses, are not among them: examples have them too.
func Find(text []byte) (list []Key) {
	w := &Writer{mask: &Mask{}, held: text}
	for at := 0; at < len(text); {
		if n := w.countPlain(at); n > 0 {
			at += n
			continue
		}
		found, v := w.findSecret(at, true)
		if v != yes {
			at++
			continue
		}
		end := at + found.shown + found.hidden
		body := end
		for end < len(text) && (found.key && text[end] != '-' && keyBody[text[end]] || found.rest != nil && found.rest[text[end]]) {
			end++
		}
		line := text[at:end]
		if found.key { // the first lines of two keys can be the same
			line = nil
			for _, part := range bytes.FieldsFunc(text[body:end], func(r rune) bool { return r >= 0x80 || !base64[r] }) {
				if len(part) >= leastBody {
					line = part
				}
			}
		}
		if found.shown == 0 && line != nil {
			list = append(list, Key{at, string(line)})
		}
		at = end
	}
	return list
}
