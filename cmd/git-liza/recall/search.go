package recall

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Finding costs half a microsecond for each entry that has one of the terms. So no more
// entries of a term are looked at: terms that more of them have tell little apart.
const (
	mostEntries     = 60_000 // for all words of the question together
	mostEntriesWord = 10_000
	mostEntriesLike = 300 // for each that means nearly the same
)

// Some entries are those that have a term: their rows, and whether there are more.
type entries struct {
	rows []int64
	more bool
}

// entriesWith are for each of some terms the entries that have it, up to a limit.
func (x searched) entriesWith(terms []*term, source string, limit int) (with []entries, err error) {
	expressions := make([]string, len(terms))
	for i, t := range terms {
		expressions[i] = t.expression()
		if source != "" {
			expressions[i] = `source : "` + source + `" AND ` + expressions[i]
		}
	}
	list, err := json.Marshal(expressions)
	if err != nil {
		return nil, err
	}
	rows, err := x.tx.Query(`SELECT (SELECT group_concat(n, ' ') FROM (SELECT rowid AS n FROM word WHERE word MATCH wanted.value LIMIT ?2))
		FROM json_each(?1) AS wanted ORDER BY wanted.key`, string(list), limit+1)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var list sql.NullString
		if err := rows.Scan(&list); err != nil {
			return nil, err
		}
		var found []int64
		for number := range strings.FieldsSeq(list.String) {
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return nil, err
			}
			found = append(found, n)
		}
		with = append(with, entries{found[:min(limit, len(found))], len(found) > limit})
	}
	return with, errors.Join(rows.Err(), rows.Close())
}

// weigh says of each term of a question how much it tells, and returns for each sense the
// rows of entries that have one of its terms, with how much the best of them tells. A term
// that more entries have than are looked at is left out of these, if there are others.
func (x searched) weigh(senses []sense, source string) (found []map[int64]float64, err error) {
	var all int
	if err := x.tx.QueryRow("SELECT coalesce(max(n), 0) FROM item").Scan(&all); err != nil {
		return nil, err
	}
	var own, like []*term
	for _, s := range senses {
		own = append(own, &s.terms[0])
		for i := range s.terms[1:] {
			like = append(like, &s.terms[1+i])
		}
	}
	limit := min(mostEntriesWord, mostEntries/len(own))
	withOwn, err := x.entriesWith(own, source, limit)
	if err != nil {
		return nil, err
	}
	withLike, err := x.entriesWith(like, source, mostEntriesLike)
	if err != nil {
		return nil, err
	}
	some := false
	for i, s := range senses {
		n := len(s.terms) - 1
		rows := s.weigh(append([]entries{withOwn[i]}, withLike[:n]...), all)
		found, withLike, some = append(found, rows), withLike[n:], some || len(rows) > 0
	}
	if !some { // nearly every entry has every word
		for i, with := range withOwn {
			for _, n := range with.rows {
				found[i][n] = senses[i].terms[0].tells
			}
		}
	}
	return found, nil
}

// weigh says of each term of a sense how much it tells, by the entries that have it, and
// returns the rows of these.
func (s sense) weigh(with []entries, all int) map[int64]float64 {
	found, most := map[int64]float64{}, math.Inf(1)
	for i, e := range with {
		if len(e.rows) == 0 {
			continue
		}
		has := len(e.rows)
		if e.more {
			has = max(has, all/commonly)
		}
		if i == 0 {
			most = telling(has, all)
		}
		t := &s.terms[i]
		if t.tells = s.weight * t.likeness * min(most, telling(has, all)); e.more {
			continue
		}
		for _, n := range e.rows {
			found[n] = max(found[n], t.tells)
		}
	}
	return found
}

// commonly is the part of all entries, one in so many, that is taken to have a term that
// more have than were looked at.
const commonly = 20

// Those that are found are ranked once more, by their texts: so many, and of so many bytes.
const (
	mostRanked      = 300
	mostRankedBytes = 4 << 20
)

// most returns the rows in which most is found, and no more than so many.
func most(found []map[int64]float64, limit int) []int64 {
	told := map[int64]float64{}
	for _, sense := range found {
		for n, tells := range sense {
			told[n] += tells
		}
	}
	rows := slices.Collect(maps.Keys(told))
	slices.SortFunc(rows, func(a, b int64) int { return cmp.Or(cmp.Compare(told[b], told[a]), cmp.Compare(b, a)) })
	return rows[:min(len(rows), limit)]
}

// Search returns the entries that speak most of a question, the best first, none for a
// question without words. source "" is all sources, and one that no entry has finds none.
func (x *Index) Search(question, source string, limit int) (hits []Hit, err error) {
	senses := sensesOf(question)
	if len(senses) == 0 {
		return nil, nil
	}
	err = x.searching(func(s searched) error {
		hits, err = s.search(senses, source, limit)
		return err
	})
	return hits, err
}

// searched is an index as it is at one moment: entries that another process replaces
// meanwhile get other rows.
type searched struct{ tx *sql.Tx }

func (x *Index) searching(do func(searched) error) error {
	tx, err := x.db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(do(searched{tx}), tx.Rollback())
}

func (x searched) search(senses []sense, source string, limit int) ([]Hit, error) {
	found, err := x.weigh(senses, source)
	if err != nil {
		return nil, err
	}
	hits, documents, err := x.read(most(found, max(limit, mostRanked)), limit, senses)
	if err != nil {
		return nil, err
	}
	length := 0.0
	for _, d := range documents {
		length += d.length
	}
	for i, d := range documents {
		hits[i].Score = d.score(senses, length/float64(len(documents)))
		hits[i].terms = d.terms(senses)
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	hits = hits[:min(limit, len(hits))]
	for i := range hits {
		if err := x.excerpt(&hits[i]); err != nil {
			return nil, err
		}
	}
	return hits, nil
}

// read reads entries, the newest first, by their rows: as hits, and as ranking sees them.
func (x searched) read(which []int64, limit int, senses []sense) (hits []Hit, documents []document, err error) {
	list, err := json.Marshal(which)
	if err != nil {
		return nil, nil, err
	}
	rows, err := x.tx.Query(`SELECT source, id, task, at, title, text, n FROM item
		WHERE n IN (SELECT value FROM json_each(?)) ORDER BY at DESC, id`, string(list))
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	bytes, wanted := 0, wantedOf(senses)
	for rows.Next() {
		var h Hit
		var at int64
		if err := rows.Scan(&h.Source, &h.ID, &h.Task, &at, &h.Title, &h.Text, &h.n); err != nil {
			return nil, nil, err
		}
		if bytes += len(h.Text); bytes > mostRankedBytes && len(hits) >= limit {
			break
		}
		h.At = timeOf(at)
		hits, documents = append(hits, h), append(documents, wanted.document(h.Title, h.Text))
	}
	return hits, documents, errors.Join(rows.Err(), rows.Close())
}

// excerpt puts into a hit what its text says around the words that were found. If SQLite
// took a word for another one that ranking tells from it, that is how the text begins.
func (x searched) excerpt(h *Hit) error {
	query, args := "SELECT substr(text, 1, 200) FROM item WHERE n = ?", []any{h.n}
	if len(h.terms) > 0 {
		query = "SELECT snippet(word, 1, '', '', '…', 32) FROM word WHERE word MATCH ? AND rowid = ?"
		args = []any{strings.Join(h.terms, " OR "), h.n}
	}
	h.n, h.terms = 0, nil
	return x.tx.QueryRow(query, args...).Scan(&h.Excerpt)
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
