package proc

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// ErrNobodyListens is wrapped for a socket that is missing, or whose process has ended.
var ErrNobodyListens = errors.New("nobody listens")

// Listen makes a socket of the network unix or unixpacket for this user alone, in the place of one that a dead process left
// there. It has its name only when it can be connected to: before that, whoever connects
// would take it for that of a dead process. The error names its path.
func Listen(network, folder, name string) (*net.UnixListener, error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	hidden := "." + name + "-" + strconv.Itoa(os.Getpid())
	path, done, err := shortPath(folder, hidden)
	if err != nil {
		return nil, err
	}
	defer done()
	os.Remove(filepath.Join(folder, hidden)) // of a process that was killed here and had this number
	l, err := net.ListenUnix(network, &net.UnixAddr{Name: path, Net: network})
	if op := (*net.OpError)(nil); errors.As(err, &op) { // it names the short path
		err = &fs.PathError{Op: op.Op, Path: filepath.Join(folder, name), Err: op.Err}
	}
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	made := filepath.Join(folder, hidden)
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, filepath.Join(folder, name))
	}
	if err != nil {
		l.Close()
		os.Remove(made)
		return nil, err
	}
	return l, nil
}

// Dial connects to a socket. The error wraps ErrNobodyListens if no process has it.
func Dial(ctx context.Context, network, folder, name string) (*net.UnixConn, error) {
	path, done, err := shortPath(folder, name)
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := new(net.Dialer).DialContext(ctx, network, path)
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNobodyListens
	}
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}
