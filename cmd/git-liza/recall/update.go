package recall

import (
	"database/sql"
	"errors"
	"time"
)

// Heads says up to where each origin of entries was read, as [Change.SetHead] has it.
func (x *Index) Heads() (map[string]string, error) { return headsOf(x.db) }

// Heads are those of the index while it is changed: no other process changes it meanwhile.
func (c *Change) Heads() (map[string]string, error) { return headsOf(c.tx) }

func headsOf(from interface {
	Query(query string, args ...any) (*sql.Rows, error)
}) (map[string]string, error) {
	rows, err := from.Query("SELECT name, value FROM head")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	heads := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		heads[name] = value
	}
	return heads, rows.Err()
}

// A Change is what one transaction changes. After its first error it does nothing.
type Change struct {
	tx    *sql.Tx
	ready map[string]*sql.Stmt
	err   error
}

// Change makes a change, whole or not at all.
func (x *Index) Change(make func(*Change) error) error {
	return x.write(func(tx *sql.Tx) error {
		c := &Change{tx: tx, ready: map[string]*sql.Stmt{}}
		return errors.Join(make(c), c.err)
	})
}

func (c *Change) exec(query string, args ...any) {
	if c.err != nil {
		return
	}
	statement := c.ready[query]
	if statement == nil {
		if statement, c.err = c.tx.Prepare(query); c.err != nil {
			return
		}
		c.ready[query] = statement
	}
	_, c.err = statement.Exec(args...)
}

// Add enters an entry, in place of one with its source and id.
func (c *Change) Add(e Entry) {
	c.drop("source = ? AND id = ?", e.Source, e.ID)
	at := int64(0)
	if !e.At.IsZero() {
		at = e.At.Unix()
	}
	apart := unspaced(e.Title + " " + e.Text)
	c.exec("INSERT INTO item (source, id, task, at, title, text, unspaced) VALUES (?, ?, ?, ?, ?, ?, ?)", e.Source, e.ID, e.Task, at, e.Title, e.Text, apart)
	c.exec("INSERT INTO word (rowid, title, text, unspaced, source) VALUES (last_insert_rowid(), ?, ?, ?, ?)", e.Title, e.Text, apart, e.Source)
}

// Drop removes the entries of a source whose ids begin so.
func (c *Change) Drop(source, prefix string) {
	c.drop("source = ? AND substr(id, 1, length(?)) = ?", source, prefix, prefix)
}

func (c *Change) drop(which string, args ...any) {
	c.exec("INSERT INTO word (word, rowid, title, text, unspaced, source) SELECT 'delete', n, title, text, unspaced, source FROM item WHERE "+which, args...)
	c.exec("DELETE FROM item WHERE "+which, args...)
}

// SetHead says up to where an origin was read; "" forgets it.
func (c *Change) SetHead(name, value string) {
	if value == "" {
		c.exec("DELETE FROM head WHERE name = ?", name)
		return
	}
	c.exec("INSERT INTO head (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value)
}

// timeOf is the time of a stored one, zero for 0.
func timeOf(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
