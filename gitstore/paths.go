package gitstore

import (
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// folders are the top-level folders of the state tree, and how deep the
// documents in them are sharded by the ends of their ids, so that no folder
// grows large and a move rewrites little.
var folders = map[flow.Folder]struct {
	name   string
	shards int
}{
	flow.Goals:      {"goals", 0},
	flow.Sprints:    {"sprints", 0},
	flow.Tasks:      {"tasks", 1},
	flow.Archive:    {"archive", 2},
	flow.Agents:     {"agents", 1},
	flow.Anomalies:  {"anomalies", 0},
	flow.Discovered: {"discovered", 0},
	flow.Notes:      {"notes", 0},
}

// single are the documents that stand alone at the top of the tree.
var single = map[flow.Folder]string{
	flow.SettingsDoc:   "liza.yaml",
	flow.PrincipalsDoc: "principals.yaml",
	flow.BreakerDoc:    "breaker.yaml",
}

const suffix = ".yaml"

// DocumentPath is where a document stands in the state tree, such as
// tasks/03/task-3.yaml.
func DocumentPath(k flow.Key) string {
	if name, ok := single[k.Folder]; ok {
		return name
	}
	dir, name := directory(k)
	return dir + "/" + name
}

// directory is the folder in which a document stands, and its file name.
func directory(k flow.Key) (dir, name string) {
	if top, ok := single[k.Folder]; ok {
		return "", top
	}
	f := folders[k.Folder]
	dir, name = f.name, k.ID
	for i := range f.shards {
		dir += "/" + shard(k.ID, i)
	}
	if group, rest, ok := strings.Cut(k.ID, "/"); ok {
		dir, name = dir+"/"+group, rest
	}
	return dir, name + suffix
}

// shard is the i-th pair of characters from the end of an id, in lower case;
// what is missing or outside [a-z0-9] becomes 0.
func shard(id string, i int) string {
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
	return string([]byte{at(end - 2), at(end - 1)})
}

// keyOf is the key of the document at a path of the state tree; ok is false
// for paths where no document belongs.
func keyOf(path string) (k flow.Key, ok bool) {
	for folder, name := range single {
		if path == name {
			return flow.Key{Folder: folder}, true
		}
	}
	top, rest, _ := strings.Cut(path, "/")
	for folder, f := range folders {
		if f.name != top {
			continue
		}
		for range f.shards {
			_, rest, _ = strings.Cut(rest, "/")
		}
		k = flow.Key{Folder: folder, ID: strings.TrimSuffix(rest, suffix)}
		return k, DocumentPath(k) == path
	}
	return flow.Key{}, false
}
