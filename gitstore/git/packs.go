package git

import (
	"bytes"
	"container/list"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// mostPacks is how many packs are read in process: each keeps two files open.
const mostPacks = 100

// packCache is how many bytes are kept of objects that deltas build upon.
const packCache = 8 << 20

// packs reads packed objects in process, or says that git has to be asked: of what it
// cannot find or decode git has the last word. It is safe for use from several goroutines.
type packs struct {
	dir       string // the object directory
	bases     baseCache
	idx, data blockCache

	mu      sync.Mutex
	opened  bool
	changed time.Time // of the folder of packs, when they were opened
	list    []*pack   // the newest first
}

// read returns a packed object of at most limit bytes; !ok means that git has
// to be asked, also about larger ones.
func (p *packs) read(id ID, limit int64) (kind string, data []byte, ok bool) {
	found, offset := p.find(id)
	if found == nil {
		return "", nil, false
	}
	kind, data, err := p.object(found, offset, limit)
	return kind, data, err == nil && hasID(id, kind, data)
}

// hasID reports whether an object has its id: an index or a pack may be damaged.
func hasID(id ID, kind string, data []byte) bool {
	h := sha1.New()
	fmt.Fprintf(h, "%s %d\x00", kind, len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil)) == string(id)
}

// size returns a packed object's kind and length; content of some size is not
// read for it. !ok means that git has to be asked.
func (p *packs) size(id ID) (kind string, n int64, ok bool) {
	found, offset := p.find(id)
	if found == nil {
		return "", 0, false
	}
	chain, on, err := found.chain(offset, p.find, p.bases.get)
	if err != nil {
		return "", 0, false
	}
	n = chain[0].size
	if chain[0].kind.IsDelta() {
		if n, err = chain[0].resultSize(); err != nil {
			return "", 0, false
		}
	}
	return on.kind.String(), n, true
}

// find returns the pack that has an object, and where in it; nil if none has it.
func (p *packs) find(id ID) (*pack, int64) {
	for _, k := range p.current() {
		if offset, ok := k.find(id); ok {
			return k, offset
		}
	}
	p.noteMiss()
	return nil, 0
}

// object decodes an object: what it begins with, and each delta on it.
func (p *packs) object(k *pack, offset, limit int64) (kind string, data []byte, err error) {
	if b, ok := p.bases.get(place{k, offset}); ok && int64(len(b.data)) <= limit {
		return b.kind.String(), b.data, nil
	}
	chain, on, err := k.chain(offset, p.find, p.bases.get)
	if err != nil {
		return "", nil, err
	}
	data = on.data
	next := len(chain) - 1 // of the chain, from the end, that is decoded next
	if data == nil {
		if data, err = chain[next].inflate(limit); err != nil {
			return "", nil, err
		}
		if next > 0 {
			p.bases.put(base{chain[next].place(), on.kind, data})
		}
		next--
	}
	for ; next >= 0; next-- {
		delta, err := chain[next].inflate(limit)
		if err != nil {
			return "", nil, err
		}
		if data, err = patchDelta(data, delta, limit); err != nil {
			return "", nil, err
		}
		if next > 0 {
			p.bases.put(base{chain[next].place(), on.kind, data})
		}
	}
	return on.kind.String(), data, nil
}

// current are the packs; they are opened if they have not been.
func (p *packs) current() []*pack {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.opened {
		p.open()
	}
	return p.list
}

func (p *packs) open() {
	p.opened = true
	folder := filepath.Join(p.dir, "pack")
	if info, err := os.Stat(folder); err == nil {
		p.changed = info.ModTime()
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".idx")
		if !ok {
			continue
		}
		k, err := openPack(filepath.Join(folder, name), &p.idx, &p.data)
		if err != nil {
			continue // git has the last word
		}
		if p.list = append(p.list, k); len(p.list) > mostPacks {
			p.drop()
			return
		}
	}
	slices.SortFunc(p.list, func(a, b *pack) int { return b.modified.Compare(a.modified) })
}

// noteMiss notes that an object was not found: the next call opens the packs again
// if they have changed.
func (p *packs) noteMiss() {
	info, err := os.Stat(filepath.Join(p.dir, "pack"))
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || !info.ModTime().Equal(p.changed) {
		p.reset()
	}
}

func (p *packs) reset() {
	p.drop()
	p.opened = false
	p.bases.clear()
	p.idx.clear()
	p.data.clear()
}

// drop closes the packs. Who reads one meanwhile gets an error and asks git.
func (p *packs) drop() {
	for _, k := range p.list {
		k.close()
	}
	p.list = nil
}

func (p *packs) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reset()
}

// A place is where an object lies.
type place struct {
	pack   *pack
	offset int64
}

// A baseCache keeps what deltas build upon, the last used ones.
type baseCache struct {
	mu    sync.Mutex
	kept  map[place]*list.Element
	order list.List // of base, the last used first
	bytes int
}

// A base is an object that deltas build upon. Its data is not empty.
type base struct {
	at   place
	kind plumbing.ObjectType
	data []byte
}

func (c *baseCache) get(at place) (base, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.kept[at]
	if !ok {
		return base{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(base), true
}

func (c *baseCache) put(b base) {
	if len(b.data) == 0 || len(b.data) > packCache/4 {
		return
	}
	b.data = bytes.Clone(b.data) // without what was made for it in vain
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.kept[b.at]; known {
		return
	}
	if c.kept == nil {
		c.kept = map[place]*list.Element{}
	}
	c.kept[b.at] = c.order.PushFront(b)
	for c.bytes += len(b.data); c.bytes > packCache; {
		old := c.order.Remove(c.order.Back()).(base)
		delete(c.kept, old.at)
		c.bytes -= len(old.data)
	}
}

func (c *baseCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.kept)
	c.order.Init()
	c.bytes = 0
}
