package git

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// indexLimit is how many bytes of pack indexes go-git may decode: it reads all
// of them before the first object, about 4 ms for this many. Beyond it
// `git cat-file --batch`, which maps them, is faster.
const indexLimit = 1 << 20

// packCache is what go-git may keep of objects that deltas build upon.
const packCache = 8 * cache.MiByte

// packs reads packed objects in process, or says that git is faster at it.
type packs struct {
	dir string // the object directory

	mu      sync.Mutex
	opened  bool
	changed time.Time                 // of the folder of packs, when they were opened
	storage *filesystem.ObjectStorage // nil if the indexes are too large
}

// read returns a packed object of at most limit bytes; !ok means that git has
// to be asked, also about larger ones.
func (p *packs) read(id ID, limit int64) (kind string, data []byte, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		p.open()
	}
	if p.storage == nil {
		return "", nil, false
	}
	obj, err := p.storage.EncodedObject(plumbing.AnyObject, plumbing.NewHash(string(id)))
	if err != nil {
		p.noteMiss()
		return "", nil, false
	}
	if obj.Size() > limit {
		return "", nil, false
	}
	r, err := obj.Reader()
	if err != nil {
		return "", nil, false
	}
	defer r.Close()
	data, err = io.ReadAll(r)
	return obj.Type().String(), data, err == nil
}

// size returns a packed object's kind and length; content of some size is not
// read for it. !ok means that git has to be asked.
func (p *packs) size(id ID) (kind string, n int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		p.open()
	}
	if p.storage == nil {
		return "", 0, false
	}
	obj, err := p.storage.EncodedObject(plumbing.AnyObject, plumbing.NewHash(string(id)))
	if err != nil {
		p.noteMiss()
		return "", 0, false
	}
	return obj.Type().String(), obj.Size(), true
}

func (p *packs) open() {
	p.opened = true
	if info, err := os.Stat(filepath.Join(p.dir, "pack")); err == nil {
		p.changed = info.ModTime()
	}
	var size int64
	entries, err := os.ReadDir(filepath.Join(p.dir, "pack"))
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".idx") {
			size += info.Size()
		}
	}
	if size == 0 || size > indexLimit {
		return
	}
	dir := dotgit.NewWithOptions(osfs.New(filepath.Dir(p.dir)), dotgit.Options{KeepDescriptors: true})
	p.storage = filesystem.NewObjectStorageWithOptions(dir, cache.NewObjectLRU(packCache), filesystem.Options{KeepDescriptors: true})
}

// noteMiss notes that an object was not found: the next call opens the packs again
// if they have changed.
func (p *packs) noteMiss() {
	info, err := os.Stat(filepath.Join(p.dir, "pack"))
	if err != nil || !info.ModTime().Equal(p.changed) {
		p.reset()
	}
}

func (p *packs) reset() {
	if p.storage != nil {
		p.storage.Close()
	}
	p.storage, p.opened = nil, false
}

func (p *packs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reset()
}
