package gittest

import (
	"context"
	"sync/atomic"
)

// EndsAfter is a context that is canceled once it has been looked at so many
// times: whoever goes through a longer list and never looks does not notice.
func EndsAfter(looks int) context.Context {
	c := &looked{Context: context.Background()}
	c.left.Store(int64(looks))
	return c
}

type looked struct {
	context.Context
	left atomic.Int64
}

// Err counts the look.
func (c *looked) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}
