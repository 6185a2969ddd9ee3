package recall

import (
	"strings"
	"unicode"
)

// mostWords bounds the words of a question that are looked for: the first ones.
const mostWords = 64

// Words are the words of a question that are looked for, in lower case, each once: not
// those that nearly every text has, unless there are no others.
func Words(question string) []string {
	stop, seen := stopWords(), map[string]bool{}
	var all, telling []string
	for _, word := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N, unicode.M) }) {
		if seen[word] || len(telling) == mostWords {
			continue
		}
		seen[word] = true
		if len(all) < mostWords {
			all = append(all, word)
		}
		if !stop[word] {
			telling = append(telling, word)
		}
	}
	if len(telling) == 0 {
		return all
	}
	return telling
}

func stopWords() map[string]bool {
	stop := map[string]bool{}
	for _, word := range strings.Fields(`a about after all also am an and any are as at be because been before being between but by
		can could did do does doing done down during each else for from had has have having he her here him his how i if in into is it
		its itself just let me more most must my no nor not now of off on once only or other our out over own same shall she should so
		some such than that the their them then there these they this those through to too under until up us very was we were what when
		where which while who whom whose why will with would you your`) {
		stop[word] = true
	}
	return stop
}

// frequent is how many entries may have a word for it to tell them apart. Ranking costs
// a microsecond or two for each entry that has one of the words.
const frequent = 10_000

// rare are the words of a question that tell entries apart: those that few have, or all
// if there are no such words.
func (x *Index) rare(words []string) ([]string, error) {
	var rare []string
	for _, word := range words {
		var has int
		err := x.db.QueryRow("SELECT count(*) FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)", expression([]string{word}, ""), frequent+1).Scan(&has)
		if err != nil {
			return nil, err
		}
		if has <= frequent {
			rare = append(rare, word)
		}
	}
	if len(rare) == 0 {
		return words, nil
	}
	return rare, nil
}

// expression is a question as FTS5 reads it: one of the words is enough. source "" is all
// sources.
func expression(words []string, source string) string {
	terms := make([]string, len(words))
	for i, word := range words {
		terms[i] = `{title text} : "` + word + `"`
		if apart := unspaced(word); apart != "" {
			terms[i] = `unspaced : "` + apart + `"`
		}
	}
	any := strings.Join(terms, " OR ")
	if source == "" {
		return any
	}
	return `source : "` + source + `" AND (` + any + ")"
}

// Search returns the entries that speak most of a question, the best first, none for a
// question without words. source "" is all sources, and one that no entry has finds none.
func (x *Index) Search(question, source string, limit int) ([]Hit, error) {
	words := Words(question)
	if len(words) == 0 {
		return nil, nil
	}
	words, err := x.rare(words)
	if err != nil {
		return nil, err
	}
	rows, err := x.db.Query(`SELECT item.source, item.id, item.task, item.at, item.title, snippet(word, 1, '', '', '…', 32), -found.rank
		FROM (SELECT rowid AS n, rank FROM word WHERE word MATCH ?1 AND rank MATCH 'bm25(2.0, 1.0, 1.0, 0.0)' ORDER BY rank LIMIT ?2) AS found
		JOIN word ON word.rowid = found.n AND word MATCH ?1 JOIN item ON item.n = found.n
		ORDER BY found.rank, item.at DESC, item.id`, expression(words, source), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	for rows.Next() {
		var h Hit
		var at int64
		if err := rows.Scan(&h.Source, &h.ID, &h.Task, &at, &h.Title, &h.Excerpt, &h.Score); err != nil {
			return nil, err
		}
		h.At = timeOf(at)
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// unspaced returns the letters of scripts that put no blanks between words, each by itself,
// so that a word in the midst of others is found as a phrase of letters.
func unspaced(text string) string {
	var apart strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			apart.WriteRune(r)
			apart.WriteByte(' ')
		}
	}
	return strings.TrimSuffix(apart.String(), " ")
}
