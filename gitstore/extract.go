package gitstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/hugepage"
)

// A shardName is the name of a folder of tasks.
type shardName [2]byte

func shardOf(id board.TaskID) shardName { return shardAt(string(id), 0) }

func (n shardName) String() string { return string(n[:]) }

// An extract is what was derived of folders of tasks: summaries, oldest first, and the ids
// of the trees that they were derived from. It does not change.
type extract struct {
	trees map[shardName]git.ID // "" of a folder that is gone
	rows  []*board.Summary
}

// folders are the folders of the extract, in any order.
func (x *extract) folders() []git.Entry {
	list := make([]git.Entry, 0, len(x.trees))
	for name, id := range x.trees {
		list = append(list, git.Entry{Mode: git.ModeTree, Name: name.String(), ID: id})
	}
	return list
}

// differing are the folders whose trees are not those of the extract, with their trees.
func (x *extract) differing(folders []git.Entry) map[shardName]git.ID {
	trees := map[shardName]git.ID{}
	known := 0
	for _, e := range folders {
		name := shardName([]byte(e.Name))
		id, ok := x.trees[name]
		if ok {
			known++
		}
		if id != e.ID {
			trees[name] = e.ID
		}
	}
	if known == len(x.trees) {
		return trees
	}
	for name := range x.trees {
		if !slices.ContainsFunc(folders, func(e git.Entry) bool { return e.Name == name.String() }) {
			trees[name] = ""
		}
	}
	return trees
}

// part is what the extract has of some folders, under other trees.
func (x *extract) part(trees map[shardName]git.ID) *extract {
	p := x.matching(func(s *board.Summary) bool {
		_, is := trees[shardOf(s.ID)]
		return is
	})
	p.trees = trees
	return p
}

// matching is the extract of the tasks that match.
func (x *extract) matching(match func(*board.Summary) bool) *extract {
	return &extract{trees: x.trees, rows: lists.Where(x.rows, match)}
}

// with is the extract with other trees and rows of some folders.
func (x *extract) with(trees map[shardName]git.ID, rows []*board.Summary) *extract {
	if len(trees) == 0 {
		return x
	}
	n := &extract{maps.Clone(x.trees), make([]*board.Summary, 0, len(x.rows)+len(rows))}
	if n.trees == nil {
		n.trees = map[shardName]git.ID{}
	}
	for name, id := range trees {
		if n.trees[name] = id; id == "" {
			delete(n.trees, name)
		}
	}
	for _, s := range x.rows {
		if _, other := trees[shardOf(s.ID)]; other {
			continue
		}
		for len(rows) > 0 && rows[0].Compare(s) < 0 {
			n.rows, rows = append(n.rows, rows[0]), rows[1:]
		}
		n.rows = append(n.rows, s)
	}
	n.rows = append(n.rows, rows...)
	return n
}

// extractForm begins the first line of a file of an extract, which ends with the tasks that
// it has of its folders. It changes with the fields of flow.Summary, and with their form.
const extractForm = "liza-extract-1 "

// The tasks that an extract has of its folders.
const (
	everyTask = "every task"
	inWork    = "in work"
)

// maxExtract bounds what is read as an extract, in bytes.
const maxExtract = 1 << 30

var errExtract = errors.New("the file is no extract")

// encode is the form of the extract in a file: after the first line come the folders with
// their trees, the words, how much room lists need, the rows, and a checksum of it all.
func (x *extract) encode(which string) []byte {
	e := encoder{known: map[string]int{}, buf: make([]byte, 0, 64+160*len(x.rows))}
	for _, s := range x.rows {
		e.summary(s)
	}
	e.row = append(make([]byte, 0, 4096), extractForm+which+"\n"...)
	e.plain(len(x.trees))
	for name, id := range x.trees {
		e.plainText(name.String())
		e.plainText(string(id))
	}
	e.plain(len(e.words))
	for _, word := range e.words {
		e.plainText(word)
	}
	for _, n := range []int{e.texts, e.tasks, len(x.rows)} {
		e.plain(n)
	}
	out := append(e.row, e.buf...)
	return binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

// checkedSum is the checksum of anything that ends with its own checksum.
const checkedSum = 0x2144df1c

// decodeExtract reads what encode made and the checksum has vouched for. The error is
// errExtract.
func decodeExtract(which, data string) (*extract, error) {
	data, known := strings.CutPrefix(data, extractForm+which+"\n")
	if !known || len(data) < crc32.Size {
		return nil, errExtract
	}
	d := decoder{all: data[:len(data)-crc32.Size]}
	x := &extract{trees: map[shardName]git.ID{}}
	for range d.count() {
		name := d.plainText()
		if len(name) != len(shardName{}) {
			return nil, errExtract
		}
		x.trees[shardName([]byte(name))] = git.ID(d.plainText())
	}
	d.words = make([]string, d.count())
	for i := range d.words {
		d.words[i] = d.plainText()
	}
	d.texts, d.tasks = make([]string, d.count()), make([]board.TaskID, d.count())
	rows := make([]board.Summary, d.count())
	hugepage.Ask(len(rows) * int(reflect.TypeFor[board.Summary]().Size()))
	x.rows = make([]*board.Summary, len(rows))
	for i := range rows {
		d.summary(&rows[i])
		x.rows[i] = &rows[i]
	}
	if d.bad || d.at != len(d.all) {
		return nil, errExtract
	}
	return x, nil
}

// readExtract reads the file of an extract. An error means that there is none.
func readExtract(which, path string) (*extract, error) {
	f, err := git.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text strings.Builder
	if info, err := f.Stat(); err == nil {
		size := int(min(info.Size(), maxExtract))
		text.Grow(size)
		hugepage.Ask(size)
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(&text, io.TeeReader(io.LimitReader(f, maxExtract), sum))
	if err != nil || n == maxExtract || sum.Sum32() != checkedSum {
		return nil, errExtract
	}
	return decodeExtract(which, text.String())
}
