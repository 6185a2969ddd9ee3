package git

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
)

// deltaSize reads one of the sizes that a delta begins with.
func deltaSize(delta []byte) (n int64, rest []byte, ok bool) {
	for i, b := range delta {
		if i == 8 {
			break
		}
		n |= int64(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return n, delta[i+1:], true
		}
	}
	return 0, nil, false
}

// patchDelta is what a delta makes of what it builds upon; more than limit bytes are an
// error.
func patchDelta(from, delta []byte, limit int64) ([]byte, error) {
	bad := fmt.Errorf("%w: a delta that fits nothing", errPack)
	was, delta, ok := deltaSize(delta)
	if !ok || was != int64(len(from)) {
		return nil, bad
	}
	size, delta, ok := deltaSize(delta)
	if !ok || size > limit || size > math.MaxInt32 {
		return nil, bad
	}
	// A copy is of at most 16 MiB and takes a byte at least.
	if size > int64(len(delta))<<24 {
		return nil, bad
	}
	to := make([]byte, 0, min(size, int64(len(from)+len(delta))*2+4096))
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		if op&0x80 == 0 {
			n := int(op)
			if n == 0 || n > len(delta) || int64(len(to)+n) > size {
				return nil, bad
			}
			to, delta = append(to, delta[:n]...), delta[n:]
			continue
		}
		var numbers [7]byte
		for i := range numbers {
			if op&(1<<i) == 0 {
				continue
			}
			if len(delta) == 0 {
				return nil, bad
			}
			numbers[i], delta = delta[0], delta[1:]
		}
		at := int64(binary.LittleEndian.Uint32(numbers[:4]))
		n := cmp.Or(int64(numbers[4])|int64(numbers[5])<<8|int64(numbers[6])<<16, 1<<16)
		if at+n > int64(len(from)) || int64(len(to))+n > size {
			return nil, bad
		}
		to = append(to, from[at:at+n]...)
	}
	if int64(len(to)) != size {
		return nil, bad
	}
	return to, nil
}
