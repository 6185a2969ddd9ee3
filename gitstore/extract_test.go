package gitstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// filled gives every part of a value something other than nothing.
func filled(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n)<<20, 0).UTC()))
			return
		}
		for i := range v.NumField() {
			filled(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			filled(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprint("text ", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(*n%200 + 1))
	default:
		v.SetInt(int64(*n))
	}
}

// Each field of a summary comes back as it was, alone and beside all others.
func TestExtractsKeepEveryField(t *testing.T) {
	t.Parallel()
	n := 0
	var full board.Summary
	filled(reflect.ValueOf(&full).Elem(), &n)
	list := []*board.Summary{{}, &full}
	of := reflect.TypeFor[board.Summary]()
	for i := range of.NumField() {
		alone := &board.Summary{}
		filled(reflect.ValueOf(alone).Elem().Field(i), &n)
		require.NotEqual(t, board.Summary{}, *alone, of.Field(i).Name)
		list = append(list, alone)
	}
	x := &extract{trees: map[shardName]git.ID{{'0', '1'}: "1234", {'z', '9'}: ""}, rows: list}
	got, err := decodeExtract(everyTask, string(x.encode(everyTask)))
	require.NoError(t, err)
	require.Equal(t, x, got)
}

// No file makes the reader panic, and only whole files are read.
func TestExtractsThatAreNone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	n := 0
	row := &board.Summary{}
	filled(reflect.ValueOf(row).Elem(), &n)
	whole := string((&extract{trees: map[shardName]git.ID{{'0', '1'}: "1234"}, rows: []*board.Summary{row}}).encode(everyTask))
	read := func(data string) error {
		require.NoError(t, os.WriteFile(path, []byte(data), 0o666))
		_, err := readExtract(everyTask, path)
		return err
	}
	require.NoError(t, read(whole))
	for i := range len(whole) {
		require.Error(t, read(whole[:i]), "cut at %d", i)
		changed := []byte(whole)
		changed[i] ^= 0x40
		require.Error(t, read(string(changed)), "changed at %d", i)
	}
	require.Error(t, read(whole+"\x00"))
	_, err := readExtract(inWork, path)
	require.Error(t, err)
	rapid.Check(t, func(rt *rapid.T) { // what a checksum would vouch for
		data := []byte(whole)
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			data[rapid.IntRange(len(extractForm), len(data)-1).Draw(rt, "at")] = rapid.Byte().Draw(rt, "byte")
		}
		_, _ = decodeExtract(everyTask, string(data[:rapid.IntRange(0, len(data)).Draw(rt, "end")]))
	})
}

// cacheOf is the folder of the cache.
func (d *desk) cacheOf() string { return filepath.Join(d.store.Repo.CommonDir(), "liza", "cache") }

// workingOn are the ids of the tasks in work, as another process finds them.
func (d *desk) workingOn() (ids []board.TaskID) {
	d.t.Helper()
	s := d.open()
	_, source, err := s.boardAt(d.at("refs/liza/state"), s.current)
	require.NoError(d.t, err)
	for _, t := range workOf(d.t, s.current, source.objects, source.root) {
		ids = append(ids, t.ID)
	}
	return ids
}

// Files of another version, of another board, of other tasks, torn ones and folders in
// their place are as none.
func TestFilesThatAreNotOfThisCache(t *testing.T) {
	t.Parallel()
	d, other := newDesk(t, gittest.Seeded(t)), newDesk(t, gittest.Seeded(t))
	other.add("a01", "x07", "y01")
	other.claim("x07", coder)
	require.Len(t, other.board().Tasks(), 3)
	require.Equal(t, []board.TaskID{"x07"}, other.workingOn())
	d.add("a01", "b01")
	d.claim("b01", coder)
	fresh := func() {
		require.Len(t, d.open().mustBoard(t).Tasks(), 2)
		require.Equal(t, []board.TaskID{"b01"}, d.workingOn())
	}
	fresh()
	for _, name := range []string{allFile, workFile} {
		path := filepath.Join(d.cacheOf(), name)
		whole, err := os.ReadFile(path)
		require.NoError(t, err)
		foreign, err := os.ReadFile(filepath.Join(other.cacheOf(), name))
		require.NoError(t, err)
		for what, data := range map[string]string{
			"another version": strings.Replace(string(whole), "extract-1", "extract-2", 1), "another board": string(foreign),
			"half": string(whole[:len(whole)/2]), "empty": "", "twice": string(whole) + string(whole),
		} {
			require.NoError(t, os.WriteFile(path, []byte(data), 0o666), what)
			fresh()
			fresh()
		}
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.MkdirAll(filepath.Join(path, "in the way"), 0o777))
		fresh()
		require.NoError(t, os.RemoveAll(path))
		fresh()
	}
	all, work := filepath.Join(d.cacheOf(), allFile), filepath.Join(d.cacheOf(), workFile)
	require.NoError(t, os.Rename(work, all))
	fresh()
}

func (s *Store) mustBoard(t testing.TB) *board.Board {
	b, _, err := s.Board(context.Background())
	require.NoError(t, err)
	return b
}

// Who asks for the tasks in work reads no summaries of others, and of the documents those
// that changed.
func TestWorkReadsWhatChanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("a01", "b01", "c01", "d02")
	d.claim("a01", coder)
	require.Equal(t, []board.TaskID{"a01"}, d.workingOn())
	all := filepath.Join(d.cacheOf(), allFile)
	require.NoFileExists(t, all)
	d.claim("b01", "coder-2")
	s := d.open()
	b := s.mustBoard(t)
	_, source, err := s.boardAt(d.at("refs/liza/state"), s.current)
	require.NoError(t, err)
	list, err := source.InWork()
	require.NoError(t, err)
	require.Len(t, list, 2)
	read := 0
	for v := range s.documents.documents {
		if v.folder == board.Tasks {
			read++
		}
	}
	require.Equal(t, 1, read)
	require.NoFileExists(t, all)
	require.NoError(t, b.Err())
}

// manyTasks are edits that add tasks.
func manyTasks(n int) (edits []board.Edit) {
	for i := range n {
		id := fmt.Sprint("task-", i)
		edits = append(edits, taskEdit(&board.Task{ID: board.TaskID(id), Title: id, Status: board.Unclaimed, Kind: board.Code, Created: boardTime.Add(time.Duration(i%7) * time.Hour)}))
	}
	return edits
}

func taskEdit(t *board.Task) board.Edit {
	return board.Edit{Key: board.Key{Folder: board.Tasks, ID: string(t.ID)}, Document: t}
}

// On a large board the small file takes what changed, until it is an eighth; then the
// large one is written anew, and what earlier versions and killed processes left goes.
func TestFewChangesGoToTheSmallFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	cache := d.cacheOf()
	root := d.withEdits(t, "", manyTasks(2*smallBoard)...)
	compare := func() {
		want := summariesOf(t, newSummaryCache(""), d.store.objects, root)
		require.Equal(t, want, summariesOf(t, newSummaryCache(cache), d.store.objects, root))
		require.Equal(t, want, summariesOf(t, newSummaryCache(cache), d.store.objects, root))
	}
	compare()
	require.NoFileExists(t, filepath.Join(cache, laterFile))
	before, err := os.ReadFile(filepath.Join(cache, allFile))
	require.NoError(t, err)
	gittest.Write(t, cache, "07", "of an earlier version")
	gittest.Write(t, cache, "work.123", "of a killed process")
	gittest.Write(t, cache, "summaries.123", "being written")
	gittest.Write(t, cache, "metrics", "of somebody else")
	require.NoError(t, os.Chtimes(filepath.Join(cache, "work.123"), time.Time{}, time.Now().Add(-2*time.Hour)))
	later := 0
	for i := range 30 {
		id := board.TaskID(fmt.Sprint("task-", i))
		edit := taskEdit(&board.Task{ID: id, Title: "another", Status: board.Claimed, Kind: board.Code, Created: boardTime})
		if i%5 == 4 {
			edit.Document = nil
		}
		root = d.withEdits(t, root, edit)
		compare()
		now, err := os.ReadFile(filepath.Join(cache, allFile))
		require.NoError(t, err)
		if string(now) != string(before) {
			require.NoFileExists(t, filepath.Join(cache, laterFile))
			break
		}
		later++
	}
	require.Greater(t, later, 5)
	require.Less(t, later, 30)
	for name, stays := range map[string]bool{"07": false, "work.123": false, "summaries.123": true, "metrics": true} {
		_, err := os.Stat(filepath.Join(cache, name))
		require.Equal(t, stays, err == nil, name)
	}
	var gone []board.Edit
	for i := range 2 * smallBoard { // whole folders end
		if i%100 < 3 {
			gone = append(gone, board.Edit{Key: board.Key{Folder: board.Tasks, ID: fmt.Sprint("task-", i)}})
		}
	}
	root = d.withEdits(t, root, gone...)
	compare()
}

// A cache that the disk has no room for, or that may not be written to, costs time only.
func TestCacheWithoutAPlace(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("a01", "b01")
	d.claim("b01", coder)
	require.NoError(t, os.RemoveAll(d.cacheOf()))
	require.NoError(t, os.Symlink("/proc/self", d.cacheOf())) // a folder in which nobody can make a file
	require.Len(t, d.open().mustBoard(t).Tasks(), 2)
	require.Equal(t, []board.TaskID{"b01"}, d.workingOn())
	d.claim("a01", "coder-2")
	require.Equal(t, []board.TaskID{"a01", "b01"}, d.workingOn())
	d.sound()
}

// Processes that read states side by side in one cache each see their own.
func TestCacheSideBySide(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	cache := d.cacheOf()
	roots := []git.ID{d.withEdits(t, "", manyTasks(smallBoard+100)...)}
	for i := range 5 {
		var edits []board.Edit
		for n := range 1 + 40*i {
			edits = append(edits, taskEdit(&board.Task{ID: board.TaskID(fmt.Sprint("task-", n*(i+2))), Title: fmt.Sprint("state ", i), Status: board.Claimed, Kind: board.Code, Created: boardTime}))
		}
		roots = append(roots, d.withEdits(t, roots[i], edits...))
	}
	var wait sync.WaitGroup
	for i := range 6 {
		objects := d.open().objects
		wait.Go(func() {
			for n := range 8 {
				root := roots[(i+n)%len(roots)]
				want := summariesOf(t, newSummaryCache(""), objects, root)
				assertSame(t, want, summariesOf(t, newSummaryCache(cache), objects, root))
				working := (&extract{rows: want}).matching((*board.Summary).IsInWork).rows
				assertSame(t, working, workOf(t, newSummaryCache(cache), objects, root))
			}
		})
	}
	wait.Wait()
}

func assertSame(t *testing.T, want, got []*board.Summary) {
	if len(want) != len(got) {
		t.Errorf("%d tasks, not %d", len(got), len(want))
		return
	}
	for i := range want {
		if !reflect.DeepEqual(want[i], got[i]) {
			t.Errorf("%v, not %v", got[i], want[i])
			return
		}
	}
}
