package git

import (
	"bytes"
	"compress/zlib"
	"strconv"
	"sync"
)

// A deflater compresses objects; it is expensive to make.
type deflater struct {
	text bytes.Buffer
	zlib *zlib.Writer
}

var deflaters = sync.Pool{New: func() any {
	d := &deflater{}
	d.zlib, _ = zlib.NewWriterLevel(&d.text, zlib.BestSpeed) // the level exists
	return d
}}

// deflate is the content of an object's own file. It is good until the next call.
func (d *deflater) deflate(obj Object) ([]byte, error) {
	d.text.Reset()
	d.zlib.Reset(&d.text)
	_, err := d.zlib.Write([]byte(obj.Kind + " " + strconv.Itoa(len(obj.Data)) + "\x00"))
	if err == nil {
		_, err = d.zlib.Write(obj.Data)
	}
	if err == nil {
		err = d.zlib.Close()
	}
	return d.text.Bytes(), err
}
