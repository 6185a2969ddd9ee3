package git

import (
	"io"
	"os"
	"sync/atomic"
)

// Blocks of the files of packs. A process that reads few objects reads only these; one
// that replays a history reads neighbours, and a system call for each of several parts of
// an object costs more than what is done with it.
const (
	blockSize  = 16 << 10
	blocksKept = 512 // of each kind of file; 8 MiB
	manyReads  = 256 // the first ones keep no blocks
)

// A blockCache keeps the blocks of files that were read last. It is safe for use from
// several goroutines, and none waits for another.
type blockCache struct {
	reads atomic.Int32 // up to manyReads
	kept  [blocksKept]atomic.Pointer[block]
	files int64 // blocks of the files that were added
}

// add is a file of some length that is read through the cache. Several small ones have
// blocks side by side. A file that is read without order has none where they might not all
// be kept.
func (c *blockCache) add(f *os.File, length int64, ordered bool) blockFile {
	begin := c.files
	after := begin + (length+blockSize-1)/blockSize
	if !ordered && after > blocksKept {
		return blockFile{File: f}
	}
	c.files = after
	return blockFile{f, c, begin}
}

// A block is one part of a file. Nobody changes it.
type block struct {
	file   *os.File
	number int64
	data   []byte
}

// A blockFile is a file that is read through a cache.
type blockFile struct {
	*os.File
	cache *blockCache // nil for none
	begin int64       // where its blocks begin in the cache
}

// ReadAt is that of the file. Of a file that was closed, or has changed since, it may
// return what was read before.
func (f blockFile) ReadAt(p []byte, offset int64) (n int, err error) {
	c := f.cache
	if c == nil || c.reads.Load() < manyReads && c.reads.Add(1) < manyReads || offset < 0 {
		return f.File.ReadAt(p, offset)
	}
	for n < len(p) {
		b, err := f.block((offset + int64(n)) / blockSize)
		if err != nil {
			return n, err
		}
		at := (offset + int64(n)) % blockSize
		if at >= int64(len(b.data)) {
			return n, io.EOF
		}
		n += copy(p[n:], b.data[at:])
	}
	return n, nil
}

// block is a block of a file; the last one of the file is shorter.
func (f blockFile) block(number int64) (*block, error) {
	slot := &f.cache.kept[(f.begin+number)%blocksKept]
	if b := slot.Load(); b != nil && b.file == f.File && b.number == number {
		return b, nil
	}
	data := make([]byte, blockSize)
	n, err := f.File.ReadAt(data, number*blockSize)
	if err != nil && err != io.EOF {
		return nil, err
	}
	b := &block{f.File, number, data[:n]}
	slot.Store(b)
	return b, nil
}

// clear forgets all files.
func (c *blockCache) clear() {
	c.files = 0
	for i := range c.kept {
		c.kept[i].Store(nil)
	}
}
