package secret

import "bytes"

// A form describes well-known secrets: a beginning, an optional gap, and a run of
// characters. The first characters of a text decide whether it has the form, so that
// little of a stream is ever held back.
type form struct {
	lead  string // in lower case if case does not matter
	fold  bool
	gap   string // characters of which up to maxGap may precede the run
	run   *class // what the secret itself is made of
	least int    // length of the run
	mixed bool   // the run has a digit or a capital near its beginning, which an ordinary word does not have
	shown bool   // the lead is shown, since it is not secret
	inner bool   // a word can have begun before it
}

const (
	maxGap = 8
	// judged is how many characters of a run decide whether it is mixed.
	judged = 40
)

// A class is a set of bytes.
type class [256]bool

func classOf(ranges string) *class {
	var c class
	for i := 0; i+1 < len(ranges); i += 2 {
		for b := int(ranges[i]); b <= int(ranges[i+1]); b++ {
			c[b] = true
		}
	}
	return &c
}

var (
	alnum  = classOf("azAZ09")
	word   = classOf("azAZ09__--")
	upper  = classOf("AZ09")
	base64 = classOf("azAZ09++//==__--..~~")
	dotted = classOf("azAZ09__--..")
)

var forms = []form{
	{lead: "sk-", run: word, least: 20, mixed: true}, // OpenAI, Anthropic and many others
	{lead: "xai-", run: word, least: 20, mixed: true},
	{lead: "gsk_", run: alnum, least: 20, mixed: true},
	{lead: "sk_live_", run: alnum, least: 16}, {lead: "rk_live_", run: alnum, least: 16},
	{lead: "ghp_", run: alnum, least: 30}, {lead: "gho_", run: alnum, least: 30}, {lead: "ghu_", run: alnum, least: 30},
	{lead: "ghs_", run: alnum, least: 30}, {lead: "ghr_", run: alnum, least: 30},
	{lead: "github_pat_", run: word, least: 22},
	{lead: "glpat-", run: word, least: 20},
	{lead: "npm_", run: alnum, least: 30}, {lead: "hf_", run: alnum, least: 30}, {lead: "pypi-", run: word, least: 40},
	{lead: "AKIA", run: upper, least: 16}, {lead: "ASIA", run: upper, least: 16},
	{lead: "AIza", run: word, least: 35},
	{lead: "xoxb-", run: word, least: 10}, {lead: "xoxp-", run: word, least: 10}, {lead: "xoxa-", run: word, least: 10},
	{lead: "bearer", fold: true, gap: " \t", run: base64, least: 16, mixed: true, shown: true},
	{lead: "authorization: basic", fold: true, gap: " \t", run: base64, least: 8, shown: true},
	{lead: "authorization: token", fold: true, gap: " \t", run: base64, least: 16, shown: true},
	{lead: "x-api-key", fold: true, gap: " \t:=\"'\\", run: base64, least: 16, mixed: true, shown: true},
	{lead: "secret_access_key", fold: true, gap: " \t:=\"'\\", run: base64, least: 30, shown: true},
}

// A matcher compares the beginning of a text with one form. bound says that a word can
// begin there, final that nothing follows the text.
type matcher func(text []byte, bound, final bool) (hit, certainty)

// matchers holds, by the first byte of a text, the matchers to try, in the order in which
// they decide.
var matchers = func() (by [256][]matcher) {
	all := forms
	for _, name := range []string{"TOKEN", "SECRET", "PASSWORD", "KEY"} { // as env and JSON write what ends so
		for _, gap := range []string{`="`, `='`, `=`, `":"`, `": "`, `: "`, `: '`, ` = "`, ` = '`} {
			all = append(all, form{lead: name + gap, run: base64, least: leastValue, shown: true, inner: true})
		}
	}
	for _, f := range all {
		by[f.lead[0]] = append(by[f.lead[0]], f.match)
		if capital := f.lead[0] - 'a' + 'A'; f.fold {
			by[capital] = append(by[capital], f.match)
		}
	}
	by['e'] = append(by['e'], matchWebToken)
	by['-'] = append(by['-'], matchPrivateKey)
	by[':'] = append(by[':'], matchPassword)
	return by
}()

// A hit describes the beginning of a text: how many bytes to show, how many are a
// secret, and what else belongs to the secret.
type hit struct {
	shown, hidden int
	rest          *class // later bytes that belong to the secret; nil for none
	key           bool   // a private key, which ends in its own way
}

// A certainty says whether a text begins with a secret.
type certainty uint8

const (
	no certainty = iota
	yes
	perhaps // the answer needs more of the text
)

// match compares the beginning of text with a form.
func (f *form) match(text []byte, bound, final bool) (hit, certainty) {
	if !bound && !f.inner {
		return hit{}, no
	}
	if v := begins(text, f.lead, f.fold, final); v != yes {
		return hit{}, v
	}
	at := len(f.lead)
	for at < len(text) && at < len(f.lead)+maxGap && bytes.IndexByte([]byte(f.gap), text[at]) >= 0 {
		at++
	}
	if f.gap != "" && at == len(f.lead) && at < len(text) {
		return hit{}, no
	}
	n, mixed := 0, !f.mixed
	for n < max(f.least, judged) && at+n < len(text) && f.run[text[at+n]] {
		c := text[at+n]
		mixed = mixed || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
		n++
	}
	ended := n == max(f.least, judged) || at+n < len(text) || final
	switch {
	case n >= f.least && mixed:
	case ended:
		return hit{}, no
	default:
		return hit{}, perhaps
	}
	if f.shown {
		return hit{shown: at, hidden: n, rest: f.run}, yes
	}
	return hit{hidden: at + n, rest: f.run}, yes
}

// begins reports whether text begins with lead.
func begins(text []byte, lead string, fold, final bool) certainty {
	n := min(len(lead), len(text))
	for i := range n {
		c := text[i]
		if fold && c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lead[i] {
			return no
		}
	}
	switch {
	case n == len(lead):
		return yes
	case final:
		return no
	}
	return perhaps
}

// maxToken bounds the first part of a JSON web token.
const maxToken = 1024

// matchWebToken finds a JSON web token: two parts that are JSON, and a signature.
func matchWebToken(text []byte, bound, final bool) (hit, certainty) {
	if !bound {
		return hit{}, no
	}
	if v := begins(text, "eyJ", false, final); v != yes {
		return hit{}, v
	}
	n := 0
	for n < len(text) && n < maxToken && word[text[n]] {
		n++
	}
	switch {
	case n == len(text) && !final:
		return hit{}, perhaps
	case n < 10:
		return hit{}, no
	}
	if v := begins(text[n:], ".eyJ", false, final); v != yes {
		return hit{}, v
	}
	return hit{hidden: n + len(".eyJ"), rest: dotted}, yes
}

// keyBegin and keyEnd enclose private keys; maxKey bounds the size of one in bytes.
const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END"
	dashes   = "-----"
	maxLabel = 64
	maxKey   = 16 << 10
)

var keyBody = classOf("azAZ09++//==\\\\\r\r\n\n\t\t  ::,,--")

// matchPrivateKey finds the beginning of a private key in PEM.
func matchPrivateKey(text []byte, _, final bool) (hit, certainty) {
	if v := begins(text, keyBegin, false, final); v != yes {
		return hit{}, v
	}
	label, whole := text[len(keyBegin):], true
	if len(label) > maxLabel {
		label = label[:maxLabel]
	} else {
		whole = final
	}
	end := bytes.Index(label, []byte(dashes))
	odd := bytes.IndexFunc(label, func(r rune) bool { return r != '-' && r != ' ' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') })
	switch {
	case odd >= 0 && (end < 0 || odd < end):
		return hit{}, no
	case end >= 0 && bytes.Contains(label[:end], []byte("PRIVATE KEY")):
		return hit{hidden: len(keyBegin) + end + len(dashes), key: true}, yes
	case end >= 0 || whole:
		return hit{}, no
	}
	return hit{}, perhaps
}

// longestPassword bounds the name and the password in a URL, in bytes.
const longestPassword = 256

// matchPassword finds the password in a URL: ://NAME:PASSWORD@.
func matchPassword(text []byte, _, final bool) (hit, certainty) {
	if v := begins(text, "://", false, final); v != yes {
		return hit{}, v
	}
	colon := 0
	for i := 3; i < len(text) && i < longestPassword; i++ {
		switch c := text[i]; {
		case c == ':' && colon == 0:
			colon = i
		case c == '@' && colon > 0 && i > colon+1:
			return hit{shown: colon + 1, hidden: i - colon - 1}, yes
		case c <= ' ' || c == '/' || c == '@' || c == '"' || c == '\'' || c == '<' || c == '\\':
			return hit{}, no
		}
	}
	if final || len(text) >= longestPassword {
		return hit{}, no
	}
	return hit{}, perhaps
}
