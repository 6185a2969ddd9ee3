package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// The form of packs and of their indexes of version 2 is that of git's page
// gitformat-pack. Object ids are sha1.
const (
	idxHead  = 8       // "\377tOc" and the version
	fanout   = 256 * 4 // for each first byte of an id, how many ids begin with it or less
	idxNames = idxHead + fanout
	idLen    = 20
	idxTail  = 2 * idLen // checksums of the pack and of the index
	packHead = 12        // "PACK", version, number of objects
)

// errPack is wrapped by errors about a pack or its index; git is asked then.
var errPack = errors.New("a pack that is not read in process")

// maxChain is how many deltas may build on one another. Git makes at most 4095.
const maxChain = 4096

// A pack is a pack of objects with its index. Both files are read where they are asked, so
// their size does not matter, and a truncated one is an error and no fault of memory.
type pack struct {
	idx, data blockFile
	modified  time.Time
	length    int64 // of data
	counts    [256]uint32
	large     int64 // the number of offsets of 64 bits
}

// openPack opens the pack at a path without its extension. Its files are read through the
// caches.
func openPack(path string, idx, data *blockCache) (*pack, error) {
	k := &pack{}
	var err error
	if k.idx.File, err = openFile(path+".idx", os.O_RDONLY, 0); err == nil {
		k.data.File, err = openFile(path+".pack", os.O_RDONLY, 0)
	}
	if err == nil {
		err = k.readHead()
	}
	if err != nil {
		k.close()
		return nil, err
	}
	k.idx = idx.add(k.idx.File, idxNames+k.number()*(idLen+8)+k.large*8+idxTail, false)
	k.data = data.add(k.data.File, k.length, true)
	return k, nil
}

func (k *pack) close() {
	for _, f := range []blockFile{k.idx, k.data} {
		if f.File != nil {
			f.Close()
		}
	}
}

func (k *pack) readHead() error {
	var head [idxNames]byte
	if _, err := k.idx.ReadAt(head[:], 0); err != nil {
		return err
	}
	if string(head[:idxHead]) != "\377tOc\x00\x00\x00\x02" {
		return fmt.Errorf("%w: the index has another version", errPack)
	}
	for i := range k.counts {
		k.counts[i] = binary.BigEndian.Uint32(head[idxHead+4*i:])
		if i > 0 && k.counts[i] < k.counts[i-1] {
			return fmt.Errorf("%w: the index is damaged", errPack)
		}
	}
	index, err := k.idx.Stat()
	if err != nil {
		return err
	}
	packed, err := k.data.Stat()
	if err != nil {
		return err
	}
	k.modified, k.length = packed.ModTime(), packed.Size()
	rest := index.Size() - idxNames - k.number()*(idLen+8) - idxTail
	k.large = rest / 8
	if rest < 0 || rest%8 != 0 || k.large > k.number() || k.length < packHead+idLen {
		return fmt.Errorf("%w: the index has not the length that it says", errPack)
	}
	var start [packHead]byte
	if _, err := k.data.ReadAt(start[:], 0); err != nil {
		return err
	}
	if string(start[:4]) != "PACK" || start[7] != 2 && start[7] != 3 || int64(binary.BigEndian.Uint32(start[8:])) != k.number() {
		return fmt.Errorf("%w: pack and index do not belong together", errPack)
	}
	return nil
}

// number is how many objects the pack has.
func (k *pack) number() int64 { return int64(k.counts[255]) }

// idsAtOnce is how many ids are read at once when few are left to look among.
const idsAtOnce = 128

// find returns the offset of an object.
func (k *pack) find(id ID) (offset int64, ok bool) {
	var want [idLen]byte
	if n, err := hex.Decode(want[:], []byte(id)); err != nil || n != idLen {
		return 0, false
	}
	low, high := int64(0), int64(k.counts[want[0]])
	if want[0] > 0 {
		low = int64(k.counts[want[0]-1])
	}
	var one [idLen]byte
	for high-low > idsAtOnce {
		middle := (low + high) / 2
		if _, err := k.idx.ReadAt(one[:], idxNames+middle*idLen); err != nil {
			return 0, false
		}
		if bytes.Compare(one[:], want[:]) <= 0 {
			low = middle
		} else {
			high = middle
		}
	}
	var some [idsAtOnce * idLen]byte
	ids := some[:(high-low)*idLen]
	if _, err := k.idx.ReadAt(ids, idxNames+low*idLen); err != nil {
		return 0, false
	}
	for at := low; len(ids) > 0; at, ids = at+1, ids[idLen:] {
		if bytes.Equal(ids[:idLen], want[:]) {
			return k.offset(at)
		}
	}
	return 0, false
}

// offset is where the object lies that has a place among the ids.
func (k *pack) offset(at int64) (int64, bool) {
	var raw [8]byte
	table := idxNames + k.number()*(idLen+4)
	if _, err := k.idx.ReadAt(raw[:4], table+at*4); err != nil {
		return 0, false
	}
	offset := int64(binary.BigEndian.Uint32(raw[:]))
	if offset>>31 == 1 {
		i := offset & math.MaxInt32
		if i >= k.large {
			return 0, false
		}
		if _, err := k.idx.ReadAt(raw[:], table+k.number()*4+i*8); err != nil {
			return 0, false
		}
		offset = int64(binary.BigEndian.Uint64(raw[:]))
	}
	return offset, offset >= packHead && offset < k.length-idLen
}

// A packed is one object as a pack has it.
type packed struct {
	pack   *pack
	offset int64
	kind   plumbing.ObjectType
	size   int64 // of what is compressed: of the object, or of its delta
	begin  int64 // where that begins
}

func (e packed) place() place { return place{e.pack, e.offset} }

// chain are an object and those that it builds upon, up to one that is whole, or that
// builds upon one that is kept; on is that one, or has no data. find finds objects of other
// packs.
func (k *pack) chain(offset int64, find func(ID) (*pack, int64), kept func(place) (base, bool)) (list []packed, on base, err error) {
	for {
		e, from, fromID, err := k.entry(offset)
		if err != nil {
			return nil, base{}, err
		}
		list = append(list, e)
		switch {
		case !e.kind.IsDelta():
			return list, base{kind: e.kind}, nil
		case len(list) > maxChain:
			return nil, base{}, fmt.Errorf("%w: a chain of more than %d deltas", errPack, maxChain)
		case fromID == "":
			offset = from
		default:
			var ok bool
			if offset, ok = k.find(fromID); !ok {
				if k, offset = find(fromID); k == nil {
					return nil, base{}, fmt.Errorf("%w: no object %s", errPack, fromID)
				}
			}
		}
		if on, ok := kept(place{k, offset}); ok {
			return list, on, nil
		}
	}
}

// entry reads what stands before the compressed data of an object. What a delta builds
// upon is at base, or has the id baseID.
func (k *pack) entry(offset int64) (e packed, base int64, baseID ID, err error) {
	var raw [64]byte
	n, err := k.data.ReadAt(raw[:], offset)
	if err != nil && err != io.EOF {
		return e, 0, "", err
	}
	head := raw[:n]
	next := func() (b byte) {
		if len(head) == 0 {
			err = fmt.Errorf("%w: it ends in an object", errPack)
			return 0
		}
		b, head = head[0], head[1:]
		return b
	}
	err = nil
	b := next()
	e = packed{pack: k, offset: offset, kind: plumbing.ObjectType(b >> 4 & 7), size: int64(b & 15)}
	for shift := 4; b&0x80 != 0 && err == nil; shift += 7 {
		b = next()
		if shift > 56 {
			err = fmt.Errorf("%w: an object of more than 2^62 bytes", errPack)
		}
		e.size |= int64(b&0x7f) << shift
	}
	switch e.kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject:
		b = next()
		back := int64(b & 0x7f)
		for b&0x80 != 0 && err == nil && back < 1<<54 {
			b = next()
			back = (back+1)<<7 | int64(b&0x7f)
		}
		if base = offset - back; err == nil && (back <= 0 || base < packHead) {
			err = fmt.Errorf("%w: a delta on nothing", errPack)
		}
	case plumbing.REFDeltaObject:
		if len(head) < idLen {
			return e, 0, "", fmt.Errorf("%w: it ends in an object", errPack)
		}
		baseID = ID(hex.EncodeToString(head[:idLen]))
		head = head[idLen:]
	default:
		err = fmt.Errorf("%w: an object of type %d", errPack, e.kind)
	}
	e.begin = offset + int64(n-len(head))
	return e, base, baseID, err
}

// An inflater decompresses; it is expensive to make.
type inflater struct {
	from *bufio.Reader
	zlib io.ReadCloser // nil before the first use
}

var inflaters = sync.Pool{New: func() any { return &inflater{from: bufio.NewReaderSize(nil, 4096)} }}

// inflated calls read with what is compressed.
func (e packed) inflated(read func(io.Reader) error) error {
	f := inflaters.Get().(*inflater)
	defer inflaters.Put(f)
	f.from.Reset(io.NewSectionReader(e.pack.data, e.begin, e.pack.length-idLen-e.begin))
	if f.zlib == nil {
		z, err := zlib.NewReader(f.from)
		if err != nil {
			return err
		}
		f.zlib = z
	} else if err := f.zlib.(zlib.Resetter).Reset(f.from, nil); err != nil {
		return err
	}
	return read(f.zlib)
}

// inflate is the object, or its delta. More than limit bytes are an error.
func (e packed) inflate(limit int64) (data []byte, err error) {
	if e.size > limit && !e.kind.IsDelta() || e.size > math.MaxInt32 {
		return nil, fmt.Errorf("%w: an object of %d bytes", errPack, e.size)
	}
	// Compressed data is at least a thousandth of what it was, so a size that is a lie
	// takes no memory.
	if e.size > 1100*(e.pack.length-e.begin) {
		return nil, fmt.Errorf("%w: an object that cannot have its size", errPack)
	}
	err = e.inflated(func(r io.Reader) error {
		data = make([]byte, e.size)
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		n, err := r.Read(make([]byte, 1))
		switch {
		case n != 0 || err == nil:
			return fmt.Errorf("%w: an object is longer than it says", errPack)
		case err != io.EOF: // the end of the stream has its checksum
			return fmt.Errorf("%w: %w", errPack, err)
		}
		return nil
	})
	return data, err
}

// resultSize is the size of what a delta makes.
func (e packed) resultSize() (n int64, err error) {
	err = e.inflated(func(r io.Reader) error {
		head := make([]byte, min(e.size, 20))
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		_, rest, ok := deltaSize(head)
		if ok {
			n, _, ok = deltaSize(rest)
		}
		if !ok {
			return fmt.Errorf("%w: a delta without sizes", errPack)
		}
		return nil
	})
	return n, err
}
