//go:build !linux

package proc

import "net/netip"

// SeesPeers says whether this system tells which processes are at the other end of a
// connection.
const SeesPeers = false

// PeersOf returns the processes at the other end of a connection: none, because this
// system does not tell them.
func PeersOf(_, _ netip.AddrPort) []Peer { return nil }

// ListenersAt returns the processes that listen at an address: none, because this system
// does not tell them.
func ListenersAt(netip.AddrPort) []Peer { return nil }

// Words returns the command line of a process: none, because this system does not tell it.
func Words(int) []string { return nil }
