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

// subscriptions are the resources that the client has subscribed to. Their
// source is watched only while there are any.
type subscriptions struct {
	Server
	serving context.Context
	updated func(context.Context, *sdk.ResourceUpdatedNotificationParams) error

	mu   sync.Mutex
	last map[string]string  // by address: the last text
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
	s.stopIfUnused()
	return err
}

func (s *subscriptions) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, req.Params.URI)
	s.stopIfUnused()
	return nil
}

// stopIfUnused ends the watch when no subscription is left.
func (s *subscriptions) stopIfUnused() {
	if len(s.last) == 0 && s.stop != nil {
		s.stop()
		s.stop = nil
	}
}

// watch notifies the client, after each change of the source, of the
// subscribed resources whose text has changed.
func (s *subscriptions) watch(ctx context.Context, next func() bool) {
	for next() {
		s.mu.Lock()
		uris := slices.Sorted(maps.Keys(s.last))
		s.mu.Unlock()
		for _, uri := range uris {
			if s.changed(ctx, uri) {
				// It fails only if the client has left.
				_ = s.updated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
			}
		}
	}
}

// changed reads an address again and reports whether its text has changed. A
// resource that cannot be read counts as changed, so that the client reads it
// and gets the error.
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

// read returns the text of an address, "" for a resource that always changes.
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

// resource returns the resource of an address, nil if there is none.
func (s *subscriptions) resource(uri string) *Resource {
	for i, r := range s.Resources {
		form, _, several := strings.Cut(r.URI, "{")
		if uri == r.URI || several && strings.HasPrefix(uri, form) {
			return &s.Resources[i]
		}
	}
	return nil
}
