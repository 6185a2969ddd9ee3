package gitstore

import (
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A place is where the documents of one type are in the state tree.
type place struct {
	name   string // at the top of the tree
	single bool   // name is the document itself
	shards int    // levels of folders by the ends of the ids; they keep folders small, so that a move rewrites little
	groups int    // slashes in an id, each a folder
}

var folders = map[board.Folder]place{
	board.SettingsDoc:   {name: "liza.yaml", single: true},
	board.PrincipalsDoc: {name: "principals.yaml", single: true},
	board.BreakerDoc:    {name: "breaker.yaml", single: true},
	board.Goals:         {name: "goals"},
	board.Sprints:       {name: "sprints"},
	board.Tasks:         {name: "tasks", shards: 1},
	board.Archive:       {name: "archive", shards: 2},
	board.Agents:        {name: "agents", shards: 1},
	board.Anomalies:     {name: "anomalies", groups: 1},
	board.Discovered:    {name: "discovered", groups: 1},
	board.Notes:         {name: "notes", groups: 1},
	board.ReviewsDoc:    {name: "reviews.yaml", single: true},
	board.RolesFolder:   {name: "roles"},
	board.Tracked:       {name: "tracked", shards: 1}, // ids: see flow.TrackedID
	board.Questions:     {name: "questions", groups: 1},
	board.PlannedDocs:   {name: "planned"},
	board.MarkDocs:      {name: "marks"},
	board.Levels:        {name: "levels", groups: 1},
	board.OutagesDoc:    {name: "outages.yaml", single: true},
	board.Workflows:     {name: "workflows"},
}

// tops are the folders by their names at the top of the tree.
var tops = func() map[string]board.Folder {
	names := make(map[string]board.Folder, len(folders))
	for folder, p := range folders {
		names[p.name] = folder
	}
	return names
}()

const suffix = ".yaml"

// DocumentPath is the path of a document in the state tree, such as
// tasks/03/task-3.yaml.
func DocumentPath(k board.Key) string {
	dir, name := directory(k)
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// directory is the folder of a document, "" for the top of the tree, and its
// file name.
func directory(k board.Key) (dir, name string) {
	p := folders[k.Folder]
	if p.single {
		return "", p.name
	}
	dir, name = p.name, k.ID
	for i := range p.shards {
		dir += "/" + shard(k.ID, i)
	}
	if i := strings.LastIndexByte(k.ID, '/'); i >= 0 {
		dir, name = dir+"/"+k.ID[:i], k.ID[i+1:]
	}
	return dir, name + suffix
}

// shard is the i-th pair of characters from the end of an id, in lower case;
// what is missing or outside [a-z0-9] becomes 0.
func shard(id string, i int) string {
	pair := shardAt(id, i)
	return string(pair[:])
}

func shardAt(id string, i int) [2]byte {
	at := func(n int) byte {
		if n < 0 {
			return '0'
		}
		c := id[n]
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			return c
		}
		return '0'
	}
	end := len(id) - 2*i
	return [2]byte{at(end - 2), at(end - 1)}
}

// keyOf is the key of the document at a path of the state tree; ok is false
// for paths where no document belongs.
func keyOf(path string) (k board.Key, ok bool) {
	top, rest, deeper := strings.Cut(path, "/")
	k.Folder, ok = tops[top]
	p := folders[k.Folder]
	if !ok || p.single {
		return k, ok && !deeper
	}
	for range p.shards {
		_, rest, _ = strings.Cut(rest, "/")
	}
	k.ID, ok = strings.CutSuffix(rest, suffix)
	return k, ok && strings.Count(k.ID, "/") == p.groups && DocumentPath(k) == path
}

// misplaced is the error of a path where no document belongs.
func misplaced(path string) error {
	return &document.Error{Name: path, Line: 1, Reason: "no document belongs at this path"}
}
