package git

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lasting is the time limit of a process whose single requests have limits of their
// own.
const lasting = 365 * 24 * time.Hour

// A catFile reads objects through one lasting `git cat-file --batch-command`,
// started when first needed and again after it died.
type catFile struct {
	repo *Repo
	ctx  context.Context

	mu   sync.Mutex
	git  *process // nil if none runs
	in   io.WriteCloser
	out  *bufio.Reader
	pipe io.Closer // under out
}

// readContents reads an object of at most limit bytes. What is larger git has not
// begun to send: it is asked for the size first where that matters.
func (c *catFile) readContents(id ID, limit int64) (kind string, data []byte, err error) {
	if limit < math.MaxInt64 {
		kind, n, err := c.readInfo(id)
		if err == nil && n > limit {
			err = &TooLarge{id, kind, n, limit}
		}
		if err != nil {
			return "", nil, err
		}
	}
	kind, _, data, err = c.request("contents", id)
	return kind, data, err
}

func (c *catFile) readInfo(id ID) (kind string, n int64, err error) {
	kind, n, _, err = c.request("info", id)
	return kind, n, err
}

// An Unread is the error of an object that git could not read, or not be asked for: a file
// is damaged, or the machine fails. It says nothing about what the object is.
type Unread struct {
	ID  ID
	Err error
}

// Error names the object and says what went wrong.
func (u *Unread) Error() string { return fmt.Sprintf("reading object %s: %v", u.ID, u.Err) }

// Unwrap returns what went wrong.
func (u *Unread) Unwrap() error { return u.Err }

func (c *catFile) request(what string, id ID) (kind string, n int64, data []byte, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.git == nil {
		if err := c.start(); err != nil {
			return "", 0, nil, &Unread{id, err}
		}
	}
	// One question gets the time of one process: it may fetch from a promisor.
	timer := time.AfterFunc(gitLimit, c.git.cancel)
	kind, n, data, err = c.exchange(what, id)
	timer.Stop()
	if err != nil && !errors.Is(err, ErrNoObject) {
		err = &Unread{id, errors.Join(err, c.stop())}
	}
	return kind, n, data, err
}

func (c *catFile) start() error {
	p := c.repo.process(c.ctx, Cmd{Args: []string{"cat-file", "--batch-command"}, Limit: lasting})
	in, err := p.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return err
	}
	started := time.Now()
	err = p.wrapFailure(p.Start())
	trace(p.args, started, err)
	if err != nil {
		p.cancel()
		return err
	}
	c.git, c.in, c.out, c.pipe = p, in, bufio.NewReaderSize(out, 64<<10), out
	return nil
}

func (c *catFile) exchange(what string, id ID) (kind string, n int64, data []byte, err error) {
	if _, err := io.WriteString(c.in, what+" "+string(id)+"\n"); err != nil {
		return "", 0, nil, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", 0, nil, err
	}
	f := strings.Fields(line)
	if len(f) == 2 && f[1] == "missing" {
		return "", 0, nil, fmt.Errorf("%w: %s", ErrNoObject, id)
	}
	if len(f) != 3 {
		return "", 0, nil, fmt.Errorf("cat-file answered %q", line)
	}
	n, err = strconv.ParseInt(f[2], 10, 64)
	if err != nil || what == "info" {
		return f[1], n, nil, err
	}
	data = make([]byte, n+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return "", 0, nil, err
	}
	return f[1], n, data[:n:n], nil
}

// stop ends the process and returns its error.
func (c *catFile) stop() error {
	p := c.git
	c.git = nil
	defer p.cancel()
	c.in.Close()
	c.pipe.Close() // or git would wait for us to read the rest
	return p.wrapFailure(p.Wait())
}

func (c *catFile) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.git == nil {
		return nil
	}
	return c.stop()
}

// unpackObjects writes objects through one `git unpack-objects`, which knows
// every format, place and permission that a repository can have.
func (p *Packer) unpackObjects(ctx context.Context, objects []Object, mode string) error {
	pack, err := p.encodePack(objects)
	if err != nil {
		return err
	}
	args := append(fsyncArgs(mode, "loose-object"), "unpack-objects", "-q")
	_, err = p.repo.Run(ctx, Cmd{Args: args, Stdin: pack})
	return err
}

// SyncArgs are the arguments with which a git makes durable what it writes, as
// liza.fsync says: components of core.fsync, as git-config(1) names them.
func (fl *Flusher) SyncArgs(ctx context.Context, components string) ([]string, error) {
	mode, err := fl.FsyncMode(ctx)
	if err != nil {
		return nil, err
	}
	return fsyncArgs(mode, components), nil
}

// fsyncArgs tells one git process what to make durable, and how.
func fsyncArgs(mode, component string) []string {
	switch mode {
	case fsyncNone:
		return []string{"-c", "core.fsync=none"}
	case fsyncAll:
		return []string{"-c", "core.fsync=all", "-c", "core.fsyncMethod=fsync"}
	}
	return []string{"-c", "core.fsync=" + component, "-c", "core.fsyncMethod=batch"}
}

var packTypes = map[string]byte{"commit": 1, "tree": 2, "blob": 3, "tag": 4}

// encodePack renders objects, undeltified, as gitformat-pack(5) describes.
func (p *Packer) encodePack(objects []Object) ([]byte, error) {
	var pack bytes.Buffer
	pack.WriteString("PACK")
	pack.Write(binary.BigEndian.AppendUint32(nil, 2))
	pack.Write(binary.BigEndian.AppendUint32(nil, uint32(len(objects))))
	for _, obj := range objects {
		size := len(obj.Data)
		b := packTypes[obj.Kind]<<4 | byte(size&15)
		for size >>= 4; size > 0; size >>= 7 {
			pack.WriteByte(b | 0x80)
			b = byte(size & 0x7f)
		}
		pack.WriteByte(b)
		z := zlib.NewWriter(&pack)
		if _, err := z.Write(obj.Data); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	if p.repo.hashLen == 64 {
		sum := sha256.Sum256(pack.Bytes())
		return append(pack.Bytes(), sum[:]...), nil
	}
	sum := sha1.Sum(pack.Bytes())
	return append(pack.Bytes(), sum[:]...), nil
}
