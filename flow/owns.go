package flow

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/lists"
)

// A glob is a path pattern, parsed once for many comparisons.
type glob struct {
	text        string
	literal     int // length before its first wildcard
	segments    []string
	first, last int // places of its first and last **, -1 if it has none
	vast        bool
}

// Bounds of the globs of a task, checked when they are written. Within them the
// comparison of two tasks takes milliseconds at worst. The longest path that
// Windows accepts by default has 260 bytes.
const (
	maxSegments = 32
	maxStars    = 4       // ** in one glob
	maxGlobs    = 8 << 10 // bytes of all globs of a list
)

func parseGlob(text string) glob {
	g := glob{text: text, literal: literal(text), segments: segments(text), first: -1}
	g.last, g.first = lastAny(g.segments), slices.Index(g.segments, anySegments)
	g.vast = len(g.segments) > maxSegments || stars(g.segments) > maxStars
	return g
}

func parseGlobs(texts []string) []glob {
	return lists.Of(texts, parseGlob)
}

// anySegments matches any number of whole segments.
const anySegments = "**"

func stars(segments []string) int {
	return len(lists.Where(segments, func(s string) bool { return s == anySegments }))
}

func lastAny(segments []string) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if segments[i] == anySegments {
			return i
		}
	}
	return -1
}

// Match reports whether a path matches a glob, segment by segment: *, ? and […]
// match inside a segment, ** matches any number of whole segments, and a slash
// at the end matches everything below.
func Match(pattern, name string) bool {
	return parseGlob(pattern).matches(name)
}

// Overlap reports whether some path can match both globs, which are of the form that
// [Match] takes.
func Overlap(one, other string) bool {
	return parseGlob(one).overlaps(parseGlob(other), true, new(int))
}

func (g glob) matches(name string) bool {
	parts := strings.Split(name, "/")
	return align(g, glob{segments: parts, first: slices.Index(parts, anySegments), last: lastAny(parts)}, matchSegment)
}

func matchSegment(g, n string) bool {
	if g == "*" {
		return true
	}
	ok, err := path.Match(g, n)
	return ok && err == nil
}

// overlaps reports whether some path can match both globs. doubt is the answer
// if one of them exceeds the bounds and comparing both ends does not decide.
// spent grows by the number of segments that may have been compared.
func (g glob) overlaps(other glob, doubt bool, spent *int) bool {
	*spent++
	if n := min(g.literal, other.literal); g.text[:n] != other.text[:n] {
		return false
	}
	n, m := len(g.segments), len(other.segments)
	*spent += min(n, m)
	if (g.first < 0) != (other.first < 0) {
		if g.vast || other.vast {
			return doubt && alignEnds(g, other, overlapSegment)
		}
		*spent += n * m / 4 // a run of half of the segments, tried at half of the positions
	}
	return align(g, other, overlapSegment)
}

const wild = `*?[\`

// literal is the length of a glob before its first wildcard.
func literal(glob string) int {
	if i := strings.IndexAny(glob, wild); i >= 0 {
		return i
	}
	return len(glob)
}

// segments splits a glob. A ** at its end matches what lies below a folder, not
// the folder itself, so that one more segment is needed.
func segments(glob string) []string {
	if strings.HasSuffix(glob, "/") {
		glob += anySegments
	}
	list := strings.Split(glob, "/")
	if list[len(list)-1] == anySegments {
		list = append(list, "*")
	}
	return list
}

// align reports whether the segments of both match side by side; ** matches any
// number of segments of the other. It is linear unless only one of them has **:
// then it searches the other for each run of segments between two **.
func align(a, b glob, same func(x, y string) bool) bool {
	if !alignEnds(a, b, same) {
		return false
	}
	switch {
	case a.first < 0 && b.first < 0, a.first >= 0 && b.first >= 0:
		return true // the ** of each matches the middle of the other
	case a.first < 0:
		return findRuns(b, a.segments, func(x, y string) bool { return same(y, x) })
	}
	return findRuns(a, b.segments, same)
}

// alignEnds compares the segments before the first ** of either and after the
// last.
func alignEnds(a, b glob, same func(x, y string) bool) bool {
	n, m := len(a.segments), len(b.segments)
	switch {
	case a.first < 0 && b.first < 0 && n != m, a.first >= 0 && b.first < 0 && n-stars(a.segments) > m,
		a.first < 0 && b.first >= 0 && m-stars(b.segments) > n:
		return false
	}
	for i := range min(before(a), before(b)) {
		if !same(a.segments[i], b.segments[i]) {
			return false
		}
	}
	if a.first < 0 && b.first < 0 {
		return true
	}
	for i := 1; i <= min(n-1-a.last, m-1-b.last); i++ {
		if !same(a.segments[n-i], b.segments[m-i]) {
			return false
		}
	}
	return true
}

// before is the number of segments before the first **.
func before(g glob) int {
	if g.first < 0 {
		return len(g.segments)
	}
	return g.first
}

// findRuns searches the names between the ends of a glob for the runs between
// its **, and takes the first position of each.
func findRuns(g glob, names []string, same func(x, y string) bool) bool {
	names = names[g.first : len(names)-(len(g.segments)-1-g.last)]
	runs := g.segments[g.first : g.last+1]
	for len(runs) > 0 {
		runs = runs[1:] // a **
		n := slices.Index(runs, anySegments)
		if n < 0 {
			return true
		}
		for !slices.EqualFunc(runs[:n], names[:min(n, len(names))], same) {
			if len(names) <= n {
				return false
			}
			names = names[1:]
		}
		runs, names = runs[n:], names[n:]
	}
	return true
}

func overlapSegment(a, b string) bool {
	if a == "*" || b == "*" {
		return true
	}
	i, j := strings.IndexAny(a, wild), strings.IndexAny(b, wild)
	switch {
	case i < 0 && j < 0:
		return a == b
	case i < 0:
		ok, err := path.Match(b, a)
		return ok || err != nil
	case j < 0:
		ok, err := path.Match(a, b)
		return ok || err != nil
	}
	if n := min(i, j); a[:n] != b[:n] {
		return false
	}
	if strings.ContainsAny(a, `[\`) || strings.ContainsAny(b, `[\`) {
		return true
	}
	x, y := a[strings.LastIndexAny(a, wild)+1:], b[strings.LastIndexAny(b, wild)+1:]
	n := min(len(x), len(y))
	return x[len(x)-n:] == y[len(y)-n:]
}

// checkGlobs refuses path patterns that are not clean or lead out of the
// repository.
func checkGlobs(globs []string, hint string) *Refusal {
	return firstRefusal(globs, func(g string) *Refusal { return checkGlob(g, hint) })
}

func checkGlob(g, hint string) *Refusal {
	plain := strings.TrimSuffix(g, "/")
	if plain == "" || strings.HasPrefix(g, "/") || path.Clean(plain) != plain ||
		plain == "." || plain == ".." || strings.HasPrefix(plain, "../") {
		return refuse(RuleForm, hint, "%q is not a clean path pattern relative to the repository", clip(g))
	}
	for _, segment := range strings.Split(plain, "/") {
		if _, err := path.Match(segment, ""); err != nil {
			return refuse(RuleForm, hint, "%q is not a path pattern: %v", clip(g), err)
		}
	}
	return nil
}

// GlobFault says why a text is no glob as tasks own them, "" if it is one.
func GlobFault(glob string) string {
	if r := checkGlob(glob, ""); r != nil {
		return r.Reason
	}
	if r := boundGlobs("the list", []string{glob}, ""); r != nil {
		return r.Reason
	}
	return ""
}

// boundGlobs refuses lists of globs that take long to compare. It applies when
// a move is made or admitted, not on replay.
func boundGlobs(what string, globs []string, hint string) *Refusal {
	total := 0
	for _, g := range globs {
		if parseGlob(g).vast {
			return refuse(RuleLimit, hint, "%s has the path pattern %q: at most %d segments are allowed, %d of them **", what, clip(g), maxSegments, maxStars)
		}
		total += len(g)
	}
	if total > maxGlobs {
		return refuse(RuleLimit, hint, "the path patterns of %s have %d bytes, at most %d are allowed", what, total, maxGlobs)
	}
	return nil
}

// overlapping finds the first pair of globs that overlap; doubt and spent are
// as in [glob.overlaps].
func overlapping(mine, theirs []glob, doubt bool, spent *int) (a, b string, ok bool) {
	for _, a := range mine {
		for _, b := range theirs {
			if a.overlaps(b, doubt, spent) {
				return a.text, b.text, true
			}
		}
	}
	return "", "", false
}

// overlappingFiles is overlapping for paths as they are, or in upper or lower case and another
// Unicode form: some file systems take those for the same file, and a board is used on several.
func overlappingFiles(mine, theirs []glob, doubt bool, spent *int) (a, b string, ok bool) {
	if a, b, ok = overlapping(mine, theirs, doubt, spent); ok {
		return a, b, ok
	}
	same := lists.Of(theirs, glob.folded)
	for _, one := range mine {
		is := one.folded()
		if i := slices.IndexFunc(same, func(other glob) bool { return is.overlaps(other, doubt, spent) }); i >= 0 {
			return one.text, theirs[i].text, true
		}
	}
	return "", "", false
}

// folded is the glob of which texts that a file system may take for the same are equal. A segment
// in which one character stands for others, and one that is not UTF-8, stay as they are.
func (g glob) folded() glob {
	parts := strings.Split(g.text, "/")
	for i, part := range parts {
		bare := strings.NewReplacer(`\\`, "", `\[`, "", `\?`, "").Replace(part)
		if strings.ContainsAny(bare, "?[") || !utf8.ValidString(part) {
			continue
		}
		parts[i] = strings.ToLower(strings.ToUpper(decomposer().Replace(part)))
	}
	return parseGlob(strings.Join(parts, "/"))
}

// decomposer writes letters with marks as the letter and the marks.
var decomposer = sync.OnceValue(func() *strings.Replacer { return strings.NewReplacer(strings.Fields(decomposed)...) })

// decomposed are such letters, each followed by its canonical decomposition: those of Unicode
// below U+F900, without Hangul.
const decomposed = `À À Á Á Â Â Ã Ã Ä Ä Å Å Ç Ç È È É É Ê Ê Ë Ë Ì Ì Í Í Î Î Ï Ï Ñ Ñ Ò Ò Ó Ó Ô Ô Õ Õ Ö Ö Ù Ù Ú Ú Û Û Ü Ü Ý Ý à à á á â â ã ã ä ä å å ç ç è è é é ê ê ë ë ì ì í í î î ï ï ñ ñ ò ò ó ó ô ô õ õ ö ö ù ù ú ú û û ü ü ý ý ÿ ÿ Ā Ā ā ā Ă Ă ă ă Ą Ą ą ą Ć Ć ć ć Ĉ Ĉ ĉ ĉ Ċ Ċ ċ ċ Č Č č č Ď Ď ď ď Ē Ē ē ē Ĕ Ĕ ĕ ĕ Ė Ė ė ė Ę Ę ę ę Ě Ě ě ě Ĝ Ĝ ĝ ĝ Ğ Ğ ğ ğ Ġ Ġ ġ ġ Ģ Ģ ģ ģ Ĥ Ĥ ĥ ĥ Ĩ Ĩ ĩ ĩ Ī Ī ī ī Ĭ Ĭ ĭ ĭ Į Į į į İ İ Ĵ Ĵ ĵ ĵ Ķ Ķ ķ ķ Ĺ Ĺ ĺ ĺ Ļ Ļ ļ ļ Ľ Ľ ľ ľ Ń Ń ń ń Ņ Ņ ņ ņ Ň Ň ň ň Ō Ō ō ō Ŏ Ŏ ŏ ŏ Ő Ő ő ő Ŕ Ŕ ŕ ŕ Ŗ Ŗ ŗ ŗ Ř Ř ř ř Ś Ś ś ś Ŝ Ŝ ŝ ŝ Ş Ş ş ş Š Š š š Ţ Ţ ţ ţ Ť Ť ť ť Ũ Ũ ũ ũ Ū Ū ū ū Ŭ Ŭ ŭ ŭ Ů Ů ů ů Ű Ű ű ű Ų Ų ų ų Ŵ Ŵ ŵ ŵ Ŷ Ŷ ŷ ŷ Ÿ Ÿ Ź Ź ź ź Ż Ż ż ż Ž Ž ž ž Ơ Ơ ơ ơ Ư Ư ư ư Ǎ Ǎ ǎ ǎ Ǐ Ǐ ǐ ǐ Ǒ Ǒ ǒ ǒ Ǔ Ǔ ǔ ǔ Ǖ Ǖ ǖ ǖ Ǘ Ǘ ǘ ǘ Ǚ Ǚ ǚ ǚ Ǜ Ǜ ǜ ǜ Ǟ Ǟ ǟ ǟ Ǡ Ǡ ǡ ǡ Ǣ Ǣ ǣ ǣ Ǧ Ǧ ǧ ǧ Ǩ Ǩ ǩ ǩ Ǫ Ǫ ǫ ǫ Ǭ Ǭ ǭ ǭ Ǯ Ǯ ǯ ǯ ǰ ǰ Ǵ Ǵ ǵ ǵ Ǹ Ǹ ǹ ǹ Ǻ Ǻ ǻ ǻ Ǽ Ǽ ǽ ǽ Ǿ Ǿ ǿ ǿ Ȁ Ȁ ȁ ȁ Ȃ Ȃ ȃ ȃ Ȅ Ȅ ȅ ȅ Ȇ Ȇ ȇ ȇ Ȉ Ȉ ȉ ȉ Ȋ Ȋ ȋ ȋ Ȍ Ȍ ȍ ȍ Ȏ Ȏ ȏ ȏ Ȑ Ȑ ȑ ȑ Ȓ Ȓ ȓ ȓ Ȕ Ȕ ȕ ȕ Ȗ Ȗ ȗ ȗ Ș Ș ș ș Ț Ț ț ț Ȟ Ȟ ȟ ȟ Ȧ Ȧ ȧ ȧ Ȩ Ȩ ȩ ȩ Ȫ Ȫ ȫ ȫ Ȭ Ȭ ȭ ȭ Ȯ Ȯ ȯ ȯ Ȱ Ȱ ȱ ȱ Ȳ Ȳ ȳ ȳ ̀ ̀ ́ ́ ̓ ̓ ̈́ ̈́ ʹ ʹ ; ; ΅ ΅ Ά Ά · · Έ Έ Ή Ή Ί Ί Ό Ό Ύ Ύ Ώ Ώ ΐ ΐ Ϊ Ϊ Ϋ Ϋ ά ά έ έ ή ή ί ί ΰ ΰ ϊ ϊ ϋ ϋ ό ό ύ ύ ώ ώ ϓ ϓ ϔ ϔ Ѐ Ѐ Ё Ё Ѓ Ѓ Ї Ї Ќ Ќ Ѝ Ѝ Ў Ў Й Й й й ѐ ѐ ё ё ѓ ѓ ї ї ќ ќ ѝ ѝ ў ў Ѷ Ѷ ѷ ѷ Ӂ Ӂ ӂ ӂ Ӑ Ӑ ӑ ӑ Ӓ Ӓ ӓ ӓ Ӗ Ӗ ӗ ӗ Ӛ Ӛ ӛ ӛ Ӝ Ӝ ӝ ӝ Ӟ Ӟ ӟ ӟ Ӣ Ӣ ӣ ӣ Ӥ Ӥ ӥ ӥ Ӧ Ӧ ӧ ӧ Ӫ Ӫ ӫ ӫ Ӭ Ӭ ӭ ӭ Ӯ Ӯ ӯ ӯ Ӱ Ӱ ӱ ӱ Ӳ Ӳ ӳ ӳ Ӵ Ӵ ӵ ӵ Ӹ Ӹ ӹ ӹ آ آ أ أ ؤ ؤ إ إ ئ ئ ۀ ۀ ۂ ۂ ۓ ۓ ऩ ऩ ऱ ऱ ऴ ऴ क़ क़ ख़ ख़ ग़ ग़ ज़ ज़ ड़ ड़
ढ़ ढ़ फ़ फ़ य़ य़ ো ো ৌ ৌ ড় ড় ঢ় ঢ় য় য় ਲ਼ ਲ਼ ਸ਼ ਸ਼ ਖ਼ ਖ਼ ਗ਼ ਗ਼ ਜ਼ ਜ਼ ਫ਼ ਫ਼ ୈ ୈ ୋ ୋ ୌ ୌ ଡ଼ ଡ଼ ଢ଼ ଢ଼ ஔ ஔ ொ ொ ோ ோ ௌ ௌ ై ై ೀ ೀ ೇ ೇ ೈ ೈ ೊ ೊ ೋ ೋ ൊ ൊ ോ ോ ൌ ൌ ේ ේ ො ො ෝ ෝ ෞ ෞ གྷ གྷ ཌྷ ཌྷ དྷ དྷ བྷ བྷ ཛྷ ཛྷ ཀྵ ཀྵ ཱི ཱི ཱུ ཱུ ྲྀ ྲྀ ླྀ ླྀ ཱྀ ཱྀ ྒྷ ྒྷ ྜྷ ྜྷ ྡྷ ྡྷ ྦྷ ྦྷ ྫྷ ྫྷ ྐྵ ྐྵ ဦ ဦ ᬆ ᬆ ᬈ ᬈ ᬊ ᬊ ᬌ ᬌ ᬎ ᬎ ᬒ ᬒ ᬻ ᬻ ᬽ ᬽ ᭀ ᭀ ᭁ ᭁ ᭃ ᭃ Ḁ Ḁ ḁ ḁ Ḃ Ḃ ḃ ḃ Ḅ Ḅ ḅ ḅ Ḇ Ḇ ḇ ḇ Ḉ Ḉ ḉ ḉ Ḋ Ḋ ḋ ḋ Ḍ Ḍ ḍ ḍ Ḏ Ḏ ḏ ḏ Ḑ Ḑ ḑ ḑ Ḓ Ḓ ḓ ḓ Ḕ Ḕ ḕ ḕ Ḗ Ḗ ḗ ḗ Ḙ Ḙ ḙ ḙ Ḛ Ḛ ḛ ḛ Ḝ Ḝ ḝ ḝ Ḟ Ḟ ḟ ḟ Ḡ Ḡ ḡ ḡ Ḣ Ḣ ḣ ḣ Ḥ Ḥ ḥ ḥ Ḧ Ḧ ḧ ḧ Ḩ Ḩ ḩ ḩ Ḫ Ḫ ḫ ḫ Ḭ Ḭ ḭ ḭ Ḯ Ḯ ḯ ḯ Ḱ Ḱ ḱ ḱ Ḳ Ḳ ḳ ḳ Ḵ Ḵ ḵ ḵ Ḷ Ḷ ḷ ḷ Ḹ Ḹ ḹ ḹ Ḻ Ḻ ḻ ḻ Ḽ Ḽ ḽ ḽ Ḿ Ḿ ḿ ḿ Ṁ Ṁ ṁ ṁ Ṃ Ṃ ṃ ṃ Ṅ Ṅ ṅ ṅ Ṇ Ṇ ṇ ṇ Ṉ Ṉ ṉ ṉ Ṋ Ṋ ṋ ṋ Ṍ Ṍ ṍ ṍ Ṏ Ṏ ṏ ṏ Ṑ Ṑ ṑ ṑ Ṓ Ṓ ṓ ṓ Ṕ Ṕ ṕ ṕ Ṗ Ṗ ṗ ṗ Ṙ Ṙ ṙ ṙ Ṛ Ṛ ṛ ṛ Ṝ Ṝ ṝ ṝ Ṟ Ṟ ṟ ṟ Ṡ Ṡ ṡ ṡ Ṣ Ṣ ṣ ṣ Ṥ Ṥ ṥ ṥ Ṧ Ṧ ṧ ṧ Ṩ Ṩ ṩ ṩ Ṫ Ṫ ṫ ṫ Ṭ Ṭ ṭ ṭ Ṯ Ṯ ṯ ṯ Ṱ Ṱ ṱ ṱ Ṳ Ṳ ṳ ṳ Ṵ Ṵ ṵ ṵ Ṷ Ṷ ṷ ṷ Ṹ Ṹ ṹ ṹ Ṻ Ṻ ṻ ṻ Ṽ Ṽ ṽ ṽ Ṿ Ṿ ṿ ṿ Ẁ Ẁ ẁ ẁ Ẃ Ẃ ẃ ẃ Ẅ Ẅ ẅ ẅ Ẇ Ẇ ẇ ẇ Ẉ Ẉ ẉ ẉ Ẋ Ẋ ẋ ẋ Ẍ Ẍ ẍ ẍ Ẏ Ẏ ẏ ẏ Ẑ Ẑ ẑ ẑ Ẓ Ẓ ẓ ẓ Ẕ Ẕ ẕ ẕ ẖ ẖ ẗ ẗ ẘ ẘ ẙ ẙ ẛ ẛ Ạ Ạ ạ ạ Ả Ả ả ả Ấ Ấ ấ ấ Ầ Ầ ầ ầ Ẩ Ẩ ẩ ẩ Ẫ Ẫ ẫ ẫ Ậ Ậ ậ ậ Ắ Ắ ắ ắ Ằ Ằ ằ ằ Ẳ Ẳ ẳ ẳ Ẵ Ẵ ẵ ẵ Ặ Ặ ặ ặ Ẹ Ẹ ẹ ẹ Ẻ Ẻ ẻ ẻ Ẽ Ẽ ẽ ẽ Ế Ế ế ế Ề Ề ề ề Ể Ể ể ể Ễ Ễ ễ ễ Ệ Ệ ệ ệ Ỉ Ỉ ỉ ỉ Ị Ị ị ị Ọ Ọ ọ ọ Ỏ Ỏ ỏ ỏ Ố Ố ố ố Ồ Ồ ồ ồ Ổ Ổ ổ ổ Ỗ Ỗ ỗ ỗ Ộ Ộ ộ ộ Ớ Ớ ớ ớ Ờ Ờ ờ ờ Ở Ở ở ở Ỡ Ỡ ỡ ỡ Ợ Ợ ợ ợ Ụ Ụ ụ ụ Ủ Ủ ủ ủ Ứ Ứ ứ ứ Ừ Ừ ừ ừ Ử Ử ử ử Ữ Ữ ữ ữ Ự Ự ự ự Ỳ Ỳ ỳ ỳ Ỵ Ỵ ỵ ỵ Ỷ Ỷ ỷ ỷ Ỹ Ỹ ỹ ỹ ἀ ἀ ἁ ἁ ἂ ἂ ἃ ἃ ἄ ἄ ἅ ἅ ἆ ἆ ἇ ἇ Ἀ Ἀ Ἁ Ἁ Ἂ Ἂ Ἃ Ἃ Ἄ Ἄ Ἅ Ἅ Ἆ Ἆ Ἇ Ἇ ἐ ἐ ἑ ἑ ἒ ἒ ἓ ἓ ἔ ἔ ἕ ἕ Ἐ Ἐ Ἑ Ἑ Ἒ Ἒ Ἓ Ἓ Ἔ Ἔ Ἕ Ἕ ἠ ἠ ἡ ἡ ἢ ἢ ἣ ἣ ἤ ἤ ἥ ἥ ἦ ἦ ἧ ἧ Ἠ Ἠ Ἡ Ἡ Ἢ Ἢ Ἣ Ἣ
Ἤ Ἤ Ἥ Ἥ Ἦ Ἦ Ἧ Ἧ ἰ ἰ ἱ ἱ ἲ ἲ ἳ ἳ ἴ ἴ ἵ ἵ ἶ ἶ ἷ ἷ Ἰ Ἰ Ἱ Ἱ Ἲ Ἲ Ἳ Ἳ Ἴ Ἴ Ἵ Ἵ Ἶ Ἶ Ἷ Ἷ ὀ ὀ ὁ ὁ ὂ ὂ ὃ ὃ ὄ ὄ ὅ ὅ Ὀ Ὀ Ὁ Ὁ Ὂ Ὂ Ὃ Ὃ Ὄ Ὄ Ὅ Ὅ ὐ ὐ ὑ ὑ ὒ ὒ ὓ ὓ ὔ ὔ ὕ ὕ ὖ ὖ ὗ ὗ Ὑ Ὑ Ὓ Ὓ Ὕ Ὕ Ὗ Ὗ ὠ ὠ ὡ ὡ ὢ ὢ ὣ ὣ ὤ ὤ ὥ ὥ ὦ ὦ ὧ ὧ Ὠ Ὠ Ὡ Ὡ Ὢ Ὢ Ὣ Ὣ Ὤ Ὤ Ὥ Ὥ Ὦ Ὦ Ὧ Ὧ ὰ ὰ ά ά ὲ ὲ έ έ ὴ ὴ ή ή ὶ ὶ ί ί ὸ ὸ ό ό ὺ ὺ ύ ύ ὼ ὼ ώ ώ ᾀ ᾀ ᾁ ᾁ ᾂ ᾂ ᾃ ᾃ ᾄ ᾄ ᾅ ᾅ ᾆ ᾆ ᾇ ᾇ ᾈ ᾈ ᾉ ᾉ ᾊ ᾊ ᾋ ᾋ ᾌ ᾌ ᾍ ᾍ ᾎ ᾎ ᾏ ᾏ ᾐ ᾐ ᾑ ᾑ ᾒ ᾒ ᾓ ᾓ ᾔ ᾔ ᾕ ᾕ ᾖ ᾖ ᾗ ᾗ ᾘ ᾘ ᾙ ᾙ ᾚ ᾚ ᾛ ᾛ ᾜ ᾜ ᾝ ᾝ ᾞ ᾞ ᾟ ᾟ ᾠ ᾠ ᾡ ᾡ ᾢ ᾢ ᾣ ᾣ ᾤ ᾤ ᾥ ᾥ ᾦ ᾦ ᾧ ᾧ ᾨ ᾨ ᾩ ᾩ ᾪ ᾪ ᾫ ᾫ ᾬ ᾬ ᾭ ᾭ ᾮ ᾮ ᾯ ᾯ ᾰ ᾰ ᾱ ᾱ ᾲ ᾲ ᾳ ᾳ ᾴ ᾴ ᾶ ᾶ ᾷ ᾷ Ᾰ Ᾰ Ᾱ Ᾱ Ὰ Ὰ Ά Ά ᾼ ᾼ ι ι ῁ ῁ ῂ ῂ ῃ ῃ ῄ ῄ ῆ ῆ ῇ ῇ Ὲ Ὲ Έ Έ Ὴ Ὴ Ή Ή ῌ ῌ ῍ ῍ ῎ ῎ ῏ ῏ ῐ ῐ ῑ ῑ ῒ ῒ ΐ ΐ ῖ ῖ ῗ ῗ Ῐ Ῐ Ῑ Ῑ Ὶ Ὶ Ί Ί ῝ ῝ ῞ ῞ ῟ ῟ ῠ ῠ ῡ ῡ ῢ ῢ ΰ ΰ ῤ ῤ ῥ ῥ ῦ ῦ ῧ ῧ Ῠ Ῠ Ῡ Ῡ Ὺ Ὺ Ύ Ύ Ῥ Ῥ ῭ ῭ ΅ ΅ ῲ ῲ ῳ ῳ ῴ ῴ ῶ ῶ ῷ ῷ Ὸ Ὸ Ό Ό Ὼ Ὼ Ώ Ώ ῼ ῼ ´ ´ Ω Ω K K Å Å ↚ ↚ ↛ ↛ ↮ ↮ ⇍ ⇍ ⇎ ⇎ ⇏ ⇏ ∄ ∄ ∉ ∉ ∌ ∌ ∤ ∤ ∦ ∦ ≁ ≁ ≄ ≄ ≇ ≇ ≉ ≉ ≠ ≠ ≢ ≢ ≭ ≭ ≮ ≮ ≯ ≯ ≰ ≰ ≱ ≱ ≴ ≴ ≵ ≵ ≸ ≸ ≹ ≹ ⊀ ⊀ ⊁ ⊁ ⊄ ⊄ ⊅ ⊅ ⊈ ⊈ ⊉ ⊉ ⊬ ⊬ ⊭ ⊭ ⊮ ⊮ ⊯ ⊯ ⋠ ⋠ ⋡ ⋡ ⋢ ⋢ ⋣ ⋣ ⋪ ⋪ ⋫ ⋫ ⋬ ⋬ ⋭ ⋭ 〈 〈 〉 〉 ⫝̸ ⫝̸ が が ぎ ぎ ぐ ぐ げ げ ご ご ざ ざ じ じ ず ず ぜ ぜ ぞ ぞ だ だ ぢ ぢ づ づ で で ど ど ば ば ぱ ぱ び び ぴ ぴ ぶ ぶ ぷ ぷ べ べ ぺ ぺ ぼ ぼ ぽ ぽ ゔ ゔ ゞ ゞ ガ ガ ギ ギ グ グ ゲ ゲ ゴ ゴ ザ ザ ジ ジ ズ ズ ゼ ゼ ゾ ゾ ダ ダ ヂ ヂ ヅ ヅ デ デ ド ド バ バ パ パ ビ ビ ピ ピ ブ ブ プ プ ベ ベ ペ ペ ボ ボ ポ ポ ヴ ヴ ヷ ヷ ヸ ヸ ヹ ヹ ヺ ヺ ヾ ヾ`

func matchesAny(globs []glob, name string) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.matches(name) })
}
