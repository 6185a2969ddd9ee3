package e2e

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

// A daemon is a server that runs as a child, on a loopback port or a socket.
type daemon struct {
	cmd     *exec.Cmd
	log     string
	network string
	address string
	port    int
	gone    chan struct{}
}

// begin starts a daemon and waits until it takes connections.
func begin(log, network, address string, args ...string) (*daemon, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	d := &daemon{cmd: exec.Command(args[0], args[1:]...), log: log, network: network, address: address, gone: make(chan struct{})}
	d.cmd.Stdout, d.cmd.Stderr = file, file
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = d.cmd.Wait()
		close(d.gone)
	}()
	if network == "tcp" {
		_, port, _ := net.SplitHostPort(address)
		d.port, _ = strconv.Atoi(port)
	}
	return d, d.answers(network, address)
}

// answers waits for the first connection that the daemon takes.
func (d *daemon) answers(network, address string) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(2 * time.Minute)
	for {
		select {
		case <-d.gone:
			text, _ := os.ReadFile(d.log)
			return fmt.Errorf("%s ended: %s", d.cmd.Path, text)
		case <-late:
			d.stop()
			return fmt.Errorf("%s does not answer at %s", d.cmd.Path, address)
		case <-tick.C:
			c, err := net.Dial(network, address)
			if err == nil {
				return c.Close()
			}
		}
	}
}

// stop ends the daemon's process group and waits for it.
func (d *daemon) stop() {
	if err := syscall.Kill(-d.cmd.Process.Pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		_ = d.cmd.Process.Kill()
	}
	<-d.gone
}

// restart starts a stopped daemon at the address where it was.
func (d *daemon) restart() error {
	again, err := begin(d.log, d.network, d.address, d.cmd.Args...)
	if err == nil {
		*d = *again
	}
	return err
}

// freeAddress is a loopback address that nobody listens on now. The system gives
// connections no port of its own accord below 32768, so it stays free until a
// daemon is there, and while one is away.
func freeAddress() (address string, err error) {
	for range 100 {
		address = fmt.Sprintf("127.0.0.1:%d", 20000+rand.IntN(12000))
		var l net.Listener
		if l, err = net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", err
}
