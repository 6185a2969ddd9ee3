package metrics

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"hash/crc32"
	"slices"
)

// format begins a file; it changes with what follows.
const format = "liza-metrics-4\n"

// ErrForm is the error of bytes that no program of this version wrote, or that are not
// all there.
var ErrForm = errors.New("these are no counts of metrics")

// ActiveSize bounds the beginning of a file that [DecodeActive] needs, in bytes.
const ActiveSize = 64 << 10

// Encode is the counts as bytes, after the actors that worked last.
func (n *Counts) Encode() []byte {
	out := []byte(format)
	for _, part := range []any{n.Active(), &n.kept} {
		var text bytes.Buffer
		if err := gob.NewEncoder(&text).Encode(part); err != nil {
			panic(err) // its types can all be encoded
		}
		out = binary.BigEndian.AppendUint32(out, uint32(text.Len()))
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(text.Bytes()))
		out = append(out, text.Bytes()...)
	}
	return out
}

// Decode are the counts that Encode wrote. The error is ErrForm.
func Decode(data []byte) (*Counts, error) {
	n, active := &Counts{}, []Active(nil)
	body, begins := bytes.CutPrefix(data, []byte(format))
	rest, known := decodePart(body, &active)
	rest, whole := decodePart(rest, &n.kept)
	if !begins || !known || !whole || len(rest) > 0 || slices.ContainsFunc(n.Tasks, func(t *task) bool { return len(t.Stays) == 0 || len(t.Memberships) == 0 }) {
		return nil, ErrForm
	}
	n.index()
	return n, nil
}

// DecodeActive are the actors that worked last, for which it needs only the first ActiveSize
// bytes. The error is ErrForm.
func DecodeActive(data []byte) (active []Active, err error) {
	body, begins := bytes.CutPrefix(data, []byte(format))
	if _, known := decodePart(body, &active); !begins || !known {
		return nil, ErrForm
	}
	return active, nil
}

// decodePart decodes the part that data begins with, and returns what follows it.
func decodePart(data []byte, into any) (rest []byte, ok bool) {
	if len(data) < 8 {
		return nil, false
	}
	n, sum := int(binary.BigEndian.Uint32(data)), binary.BigEndian.Uint32(data[4:])
	data = data[8:]
	if n > len(data) || crc32.ChecksumIEEE(data[:n]) != sum {
		return nil, false
	}
	part := bytes.NewReader(data[:n])
	err := gob.NewDecoder(part).Decode(into)
	return data[n:], err == nil && part.Len() == 0
}
