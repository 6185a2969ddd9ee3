package recall

import (
	"cmp"
	"embed"
	"math"
	"slices"
	"strings"
	"sync"
)

// Each file of the thesaurus has a line for each group of words that people who develop
// software say for one thing. Those before a ~ mean nearly the same, and those behind it
// come to mind with them. A word may stand in several groups; a_b is a phrase of two words.
//
//go:embed thesaurus/*.txt
var thesaurusFiles embed.FS

// relatedness is how much of a word that stands behind a ~ belongs to its group.
const relatedness = 0.3

// sharing is how much the root of the cosine counts, which is small for words that have
// many meanings.
const sharing = 1.3

// A thesaurus knows how alike words are, by the groups that they share.
type thesaurus struct {
	groups  map[string][]belonging // of a word or phrase, by its key
	members [][]member             // of each group
	norms   map[string]float64     // of the vectors of words over groups
}

type belonging struct {
	group int
	much  float64
}

type member struct {
	key  string // see [keyOf]
	word string
	much float64
}

// A likeWord is a word or phrase with its likeness to another one, from 0 to 1.
type likeWord struct {
	member
	likeness float64
}

// words is the thesaurus, which is read when it is first asked.
var words = sync.OnceValue(func() *thesaurus {
	t := &thesaurus{map[string][]belonging{}, nil, map[string]float64{}}
	files, err := thesaurusFiles.ReadDir("thesaurus")
	if err != nil {
		panic(err) // they are part of the program
	}
	for _, file := range files {
		text, err := thesaurusFiles.ReadFile("thesaurus/" + file.Name())
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(text)) {
			if !strings.HasPrefix(line, "#") {
				t.add(line)
			}
		}
	}
	for key, groups := range t.groups {
		for _, b := range groups {
			t.norms[key] += b.much * b.much
		}
		t.norms[key] = math.Sqrt(t.norms[key])
	}
	return t
})

// add adds the group of a line.
func (t *thesaurus) add(line string) {
	near, related, _ := strings.Cut(line, "~")
	group := len(t.members)
	t.members = append(t.members, nil)
	for i, part := range []string{near, related} {
		much := 1.0
		if i == 1 {
			much = relatedness
		}
		for _, word := range strings.Fields(part) {
			m := member{keyOf(word), word, much}
			if !slices.ContainsFunc(t.members[group], func(other member) bool { return other.key == m.key }) {
				t.members[group] = append(t.members[group], m)
				t.groups[m.key] = append(t.groups[m.key], belonging{group, much})
			}
		}
	}
}

// keyOf is a word without its ending, or a phrase of such words, joined by _.
func keyOf(word string) string {
	parts := strings.Split(word, "_")
	for i, part := range parts {
		parts[i] = stemOf(part)
	}
	return strings.Join(parts, "_")
}

// like are the words that mean nearly the same as one, the most alike first: the cosine
// of two words as vectors over groups, see [sharing].
func (t *thesaurus) like(key string) []likeWord {
	at, found := map[string]int{}, []likeWord(nil)
	for _, b := range t.groups[key] {
		for _, m := range t.members[b.group] {
			if m.key == key {
				continue
			}
			i, ok := at[m.key]
			if !ok {
				i = len(found)
				at[m.key], found = i, append(found, likeWord{member: m})
			}
			found[i].likeness += b.much * m.much
		}
	}
	for i, f := range found {
		found[i].likeness = min(1, sharing*math.Sqrt(f.likeness/(t.norms[key]*t.norms[f.key])))
	}
	slices.SortStableFunc(found, func(a, b likeWord) int { return cmp.Compare(b.likeness, a.likeness) })
	return found
}
