package gitstore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A lockFile is one that git takes to move a ref. Value is what git writes
// into it, "" if nothing.
type lockFile struct {
	path  string
	value ID
}

// foreignLock describes a lock file that stands in the way of updates.
func (r *Repo) foreignLock(updates []RefUpdate) string {
	for _, lock := range r.lockFiles(updates) {
		if info, err := os.Lstat(lock.path); err == nil {
			return fmt.Sprintf("%s, %s old", lock.path, time.Since(info.ModTime()).Round(time.Second))
		}
	}
	return ""
}

// lockFiles are the files that git takes for updates: one per ref, also for
// what a symbolic ref points to and for a HEAD that points to one of them, and
// two for packed-refs in deletions.
func (r *Repo) lockFiles(updates []RefUpdate) []lockFile {
	var locks []lockFile
	names := make(map[string]bool)
	add := func(name string, value ID) {
		if !names[name] {
			names[name] = true
			locks = append(locks, lockFile{filepath.Join(r.commonDir, filepath.FromSlash(name)) + ".lock", value})
		}
	}
	for _, u := range updates {
		for _, name := range r.chain(u.Name) {
			add(name, u.New)
		}
		if u.New == "" && !names["packed-refs"] {
			// Cleared in this order: the new content is only safe under the lock.
			locks = append(locks, lockFile{path: filepath.Join(r.commonDir, "packed-refs.new")})
			add("packed-refs", "")
		}
	}
	head, err := ReadSmall(filepath.Join(r.commonDir, "HEAD"))
	if target, ok := strings.CutPrefix(string(head), "ref:"); err == nil && ok && names[strings.TrimSpace(target)] {
		add("HEAD", "")
	}
	return locks
}

// chain is a ref and what it points to, if it is symbolic.
func (r *Repo) chain(name string) []string {
	var names []string
	for range symrefDepth {
		names = append(names, name)
		_, target, err := r.readRef(name)
		if err != nil || target == "" {
			break
		}
		name = target
	}
	return names
}
