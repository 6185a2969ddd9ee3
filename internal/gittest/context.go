package gittest

import (
	"context"
	"sync/atomic"
)

// EndsAfter returns a context that is canceled after its Err was called looks times. A
// loop that never checks its context does not notice.
func EndsAfter(looks int) context.Context {
	c := &endingContext{Context: context.Background()}
	c.left.Store(int64(looks))
	return c
}

type endingContext struct {
	context.Context
	left atomic.Int64
}

// Err counts the call.
func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
