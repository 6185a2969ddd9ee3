package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/broker"
)

// brokerCommand runs the commands of a confined session; its supervisor starts it.
type brokerCommand struct{}

func (c *brokerCommand) Run(inv *invocation) error {
	var s broker.Session
	if err := json.NewDecoder(inv.stdin).Decode(&s); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return s.Serve(inv.ctx, self)
}

// askBroker has the broker of a confined session run this command, and returns its exit code: here
// nothing of the clone can be reached.
func askBroker(socket string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	defer stop()
	folder, name := filepath.Split(socket)
	dir, err := os.Getwd()
	var token []byte
	if err == nil {
		token, err = os.ReadFile(filepath.Join(folder, broker.Token))
	}
	code := exitFailed
	if err == nil {
		code, err = broker.Call{Token: string(token), Args: os.Args[1:], Dir: dir, Index: os.Getenv("GIT_INDEX_FILE"), In: os.Stdin, Out: os.Stdout, Err: os.Stderr}.Do(ctx, folder, name)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "git-liza:", err)
		return exitFailed
	}
	return code
}
