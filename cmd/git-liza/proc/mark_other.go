//go:build !linux

package proc

// Above returns the marks of the guards that this process descends from. Here
// there are no guards, and nobody is followed.
func Above(string) (marks, doubtful []Mark, err error) { return nil, nil, nil }

// Boot is the id of this boot of the machine. Here it is not told.
func Boot() string { return "" }

// Living are the marks of the guards of a folder that live on this machine. Here
// there are none.
func Living(string) ([]Mark, error) { return nil, nil }
