package main

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Signals are watched for from the moment that somebody waits for the end of the context,
// or of one below it, and only once.
func TestSignalContext(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"done":  func(ctx context.Context) { ctx.Done() },
		"err":   func(ctx context.Context) { require.NoError(t, ctx.Err()) },
		"child": func(ctx context.Context) { _, cancel := context.WithCancel(ctx); cancel() },
		"after": func(ctx context.Context) { context.AfterFunc(ctx, func() {})() },
	} {
		watched := 0
		ctx := &signalContext{Context: context.Background(), watch: func() { watched++ }}
		require.Nil(t, ctx.Value(name))
		require.Zero(t, watched, name)
		wait(ctx)
		wait(ctx)
		require.Equal(t, 1, watched, name)
	}
	k := new(keyboard)
	ctx, stop := k.notify([]os.Signal{syscall.SIGUSR1})
	defer stop()
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGUSR1))
	<-child.Done()
	require.ErrorIs(t, context.Cause(child), context.Canceled)
}
