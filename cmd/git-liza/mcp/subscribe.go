package mcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscriptions are the resources of whose changes the client wants to hear.
// While there are any, and only then, it is watched what they are made of.
type subscriptions struct {
	Server
	serving context.Context
	updated func(context.Context, *sdk.ResourceUpdatedNotificationParams) error

	mu   sync.Mutex
	last map[string]string  // by address: what it answered when it was last read
	stop context.CancelFunc // ends the watch; nil while there is none
}

func (s *subscriptions) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop == nil {
		watching, stop := context.WithCancel(s.serving)
		next, err := s.Changes(watching)
		if err != nil {
			stop()
			return err
		}
		s.stop = stop
		go s.watch(watching, next)
	}
	text, err := s.read(ctx, req.Params.URI)
	if errors.Is(err, ErrNotFound) {
		err = sdk.ResourceNotFoundError(req.Params.URI)
	}
	if err == nil {
		s.last[req.Params.URI] = text
	}
	s.rest()
	return err
}

func (s *subscriptions) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, req.Params.URI)
	s.rest()
	return nil
}

// rest ends the watch when nobody wants to hear of anything any more.
func (s *subscriptions) rest() {
	if len(s.last) == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// watch tells the client, after each change of what resources are made of,
// which of those that it subscribed to answer otherwise than before.
func (s *subscriptions) watch(ctx context.Context, next func() bool) {
	for next() {
		s.mu.Lock()
		uris := slices.Sorted(maps.Keys(s.last))
		s.mu.Unlock()
		for _, uri := range uris {
			if s.changed(ctx, uri) {
				// It fails where there is no client any more.
				_ = s.updated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
			}
		}
	}
}

// changed reads an address anew. What cannot be read has changed, too: the
// client that reads it learns why.
func (s *subscriptions) changed(ctx context.Context, uri string) bool {
	text, err := s.read(ctx, uri)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		text = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, wanted := s.last[uri]
	if wanted {
		s.last[uri] = text
	}
	return wanted && (text != before || s.resource(uri).Restless)
}

// read is what an address answers, "" of one that always changes.
func (s *subscriptions) read(ctx context.Context, uri string) (string, error) {
	r := s.resource(uri)
	switch {
	case r == nil:
		return "", ErrNotFound
	case r.Restless:
		return "", nil
	}
	return r.Read(ctx, uri)
}

// resource is the one that an address belongs to, nil if there is none.
func (s *subscriptions) resource(uri string) *Resource {
	for i, r := range s.Resources {
		form, _, several := strings.Cut(r.URI, "{")
		if uri == r.URI || several && strings.HasPrefix(uri, form) {
			return &s.Resources[i]
		}
	}
	return nil
}
