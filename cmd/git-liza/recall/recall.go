// Package recall is a full-text index of what was said on a blackboard: words go in as
// entries, and the entries that speak most of a question come out.
//
// The index is a file of SQLite with FTS5. It holds nothing that cannot be made again:
// its owner deletes it when [IsDamaged] says so, and indexes anew. Several processes may
// have it open, but none while it is deleted. The package does not know where entries come
// from, and hides no secrets.
package recall

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Version is that of the tables. A file with another one is damaged, see [IsDamaged].
const Version = 1

// An Entry is a text that can be found.
type Entry struct {
	Source string // the kind of thing that it comes from, such as move
	ID     string // names it among those of its source
	Task   string // that it is about, "" if it is about none
	Title  string // counts more than Text
	Text   string
	At     time.Time // when it was said, zero if nobody knows
}

// A Hit is an entry that was found.
type Hit struct {
	Source, ID, Task, Title string
	At                      time.Time
	Text                    string   // whole
	Excerpt                 string   // of the text, around the words that were found
	Score                   float64  // larger is better; comparable within one search only
	n                       int64    // its row
	terms                   []string // that it has, as FTS5 reads them
}

// An Index is an open index.
type Index struct{ db *sql.DB }

// patience is how long a call waits for another process that writes the index, before its
// error is one for which [IsBusy] is true.
const patience = time.Second

// tables are made in an empty file. head says up to where each origin of entries was read.
const tables = `
CREATE TABLE head (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE item (n INTEGER PRIMARY KEY, source TEXT NOT NULL, id TEXT NOT NULL, task TEXT NOT NULL,
	at INTEGER NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL, unspaced TEXT NOT NULL, UNIQUE (source, id));
CREATE VIRTUAL TABLE word USING fts5 (title, text, unspaced, source, content = 'item', content_rowid = 'n',
	tokenize = 'porter unicode61 remove_diacritics 2');`

var errVersion = errors.New("it is an index of another version")

// Open opens the index in a file, which it makes if there is none, or one in memory for "".
// A file that is no index is an error for which [IsDamaged] is true.
func Open(path string) (*Index, error) {
	name := ":memory:"
	if path != "" {
		settings := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(wal)", "synchronous(normal)"}, "_txlock": {"immediate"}}
		name = (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // an index in memory belongs to one connection
	x := &Index{db}
	if err := x.prepare(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return x, nil
}

// prepare makes the tables in an empty file, and refuses one of another version.
func (x *Index) prepare() error {
	var has int
	err := x.db.QueryRow("PRAGMA user_version").Scan(&has)
	if err != nil || has == Version {
		return err
	}
	return x.write(func(tx *sql.Tx) error {
		var others int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&has); err != nil || has == Version {
			return err // another process has made them
		}
		if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&others); err != nil {
			return err
		}
		if others > 0 || has != 0 {
			return errVersion
		}
		_, err := tx.Exec(tables + fmt.Sprintf("PRAGMA user_version = %d;", Version))
		return err
	})
}

func (x *Index) write(do func(*sql.Tx) error) error {
	tx, err := x.db.Begin()
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }

// Remove deletes the file of an index that nobody has open, with what SQLite keeps beside it.
func Remove(path string) error {
	var failed error
	for _, beside := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// Stamp is another text once the index in a file has been written, also by a change that has
// not ended.
func Stamp(path string) string {
	var text strings.Builder
	for _, file := range []string{path, path + "-wal"} {
		if info, err := os.Stat(file); err == nil {
			fmt.Fprintf(&text, "%s %d %d\n", file, info.Size(), info.ModTime().UnixNano())
		}
	}
	return text.String()
}

// IsDamaged reports whether an error says that a file is no index of this version, or a
// torn one.
func IsDamaged(err error) bool {
	if errors.Is(err, errVersion) {
		return true
	}
	switch primaryCode(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_MISMATCH:
		return true
	}
	return false
}

// IsUnwritable reports whether an error says that a file cannot be opened or written: the
// disk is full, or the folder is read-only.
func IsUnwritable(err error) bool {
	switch primaryCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY:
		return true
	}
	return false
}

// IsBusy reports whether an error says that another process was writing the index all the
// time: it will be there.
func IsBusy(err error) bool { return primaryCode(err) == sqlite3.SQLITE_BUSY }

// primaryCode is the result code of SQLite without the byte that says more, 0 for other errors.
func primaryCode(err error) int {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return 0
	}
	return failed.Code() & 0xff
}
