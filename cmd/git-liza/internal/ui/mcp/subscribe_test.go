package mcp

import (
	"context"
	"io"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A client of either kind of the protocol hears of changes; before the first
// subscription and after the last one nothing is watched.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2025-06-18", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			watches, changes := make(chan context.Context, 10), make(chan struct{})
			server := Server{Resources: []Resource{{Name: "some", URI: "x:///{n}", Restless: true}}}
			server.Changes = func(ctx context.Context) (func() bool, error) {
				watches <- ctx
				return func() bool {
					select {
					case <-changes:
						return true
					case <-ctx.Done():
						return false
					}
				}, nil
			}
			heard := make(chan string)
			c, output, served := connected(t, server, protocol, heard)
			for _, uri := range []string{"x:///1", "x:///2"} { // a watch that has ended begins anew
				require.Empty(t, watches)
				require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}))
				watch := <-watches
				for told := ""; told != uri; {
					select {
					case changes <- struct{}{}:
					case told = <-heard:
					}
				}
				require.NoError(t, c.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: uri}))
				<-watch.Done()
			}
			require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "x:///3"}))
			require.NoError(t, c.Close())
			go io.Copy(io.Discard, output)
			require.NoError(t, <-served)
		})
	}
}

// connected is a client of a server that runs here, and what it would go on
// reading from it.
func connected(t *testing.T, server Server, protocol string, heard chan string) (*sdk.ClientSession, io.Reader, chan error) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), fromClient, toClient, io.Discard) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			select {
			case heard <- r.Params.URI:
			default: // nobody listens any more, or will at the next one
			}
		}})
	c, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: io.NopCloser(fromServer), Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	require.NoError(t, err)
	return c, fromServer, served
}
