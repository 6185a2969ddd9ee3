//go:build !linux

package proc

// Above returns the marks of the guards that this process descends from. There are no
// guards on this system.
func Above(string) (marks, doubtful []Mark, err error) { return nil, nil, nil }

// IsBlind reports nothing on this system.
func IsBlind(string) bool { return false }

// Boot returns the id of this boot of the machine. This system does not tell it.
func Boot() string { return "" }

// Living returns the marks of the guards of a folder that live on this machine. There
// are no guards on this system.
func Living(string) ([]Mark, error) { return nil, nil }
