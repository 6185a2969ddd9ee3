package recall

import (
	"cmp"
	"errors"
	"slices"
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

// Finding costs a microsecond or two for each entry that has one of the words. So words
// that more entries have are left out; they tell nothing apart.
const (
	frequent     = 10_000 // for a word of the question
	frequentLike = 1000   // for one that means nearly the same
)

// has counts the entries that have a word, up to a limit.
func (x *Index) has(word string, limit int) (has int, err error) {
	err = x.db.QueryRow("SELECT count(*) FROM (SELECT 1 FROM word WHERE word MATCH ? LIMIT ?)", term(word), limit).Scan(&has)
	return has, err
}

// term is a word as FTS5 reads it.
func term(word string) string {
	if apart := unspaced(word); apart != "" {
		return `unspaced : "` + apart + `"`
	}
	return `{title text} : "` + word + `"`
}

// understood is a question as it is looked for: its senses, and what FTS5 looks for, one
// of the words. Those of the question stand there twice, so that they count for more.
func (x *Index) understood(words []string, source string) (senses []sense, expression string, err error) {
	var all int
	if err := x.db.QueryRow("SELECT coalesce(max(n), 0) FROM item").Scan(&all); err != nil {
		return nil, "", err
	}
	others := like(words)
	var own, like []string
	for i, word := range words {
		s := sense{map[string]float64{}}
		has, err := x.has(word, frequent+1)
		if err != nil {
			return nil, "", err
		}
		s.terms[stemOf(word)] = telling(has, all)
		if has <= frequent {
			own = append(own, term(word), term(word))
		}
		for _, other := range others[i] {
			has, err := x.has(other, frequentLike+1)
			if err != nil {
				return nil, "", err
			}
			if stem := stemOf(other); has > 0 {
				s.terms[stem] = max(s.terms[stem], likeness*telling(has, all))
			}
			if 0 < has && has <= frequentLike && !slices.Contains(like, term(other)) {
				like = append(like, term(other))
			}
		}
		senses = append(senses, s)
	}
	if len(own) == 0 && len(like) == 0 { // nearly every entry has them
		for _, word := range words {
			own = append(own, term(word))
		}
	}
	expression = strings.Join(slices.Concat(own, like), " OR ")
	if source != "" {
		expression = `source : "` + source + `" AND (` + expression + ")"
	}
	return senses, expression, nil
}

// Those that are found are ranked once more, by senses: so many, and of so many bytes.
const (
	mostRanked      = 200
	mostRankedBytes = 4 << 20
)

// Search returns the entries that speak most of a question, the best first, none for a
// question without words. source "" is all sources, and one that no entry has finds none.
func (x *Index) Search(question, source string, limit int) ([]Hit, error) {
	words := Words(question)
	if len(words) == 0 {
		return nil, nil
	}
	senses, expression, err := x.understood(words, source)
	if err != nil {
		return nil, err
	}
	rows, err := x.db.Query(`SELECT item.source, item.id, item.task, item.at, item.title, item.text, item.n
		FROM (SELECT rowid AS n, rank FROM word WHERE word MATCH ?1 AND rank MATCH 'bm25(2.0, 1.0, 1.0, 0.0)' ORDER BY rank LIMIT ?2) AS found
		JOIN item ON item.n = found.n
		ORDER BY found.rank, item.at DESC, item.id`, expression, max(limit, mostRanked))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var hits []Hit
	var documents []document
	bytes, length := 0, 0.0
	for rows.Next() {
		var h Hit
		var at int64
		var text string
		if err := rows.Scan(&h.Source, &h.ID, &h.Task, &at, &h.Title, &text, &h.n); err != nil {
			return nil, err
		}
		if bytes += len(text); bytes > mostRankedBytes && len(hits) >= limit {
			break
		}
		h.At = timeOf(at)
		d := documentOf(h.Title, text)
		hits, documents, length = append(hits, h), append(documents, d), length+d.length
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, err
	}
	for i, d := range documents {
		hits[i].Score = d.score(senses, length/float64(len(documents)))
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	hits = hits[:min(limit, len(hits))]
	for i, h := range hits {
		err := x.db.QueryRow("SELECT snippet(word, 1, '', '', '…', 32) FROM word WHERE word MATCH ? AND rowid = ?", expression, h.n).Scan(&hits[i].Excerpt)
		if err != nil {
			return nil, err
		}
		hits[i].n = 0
	}
	return hits, nil
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
