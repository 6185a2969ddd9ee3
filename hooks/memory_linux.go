package hooks

import "syscall"

// LimitMemory bounds the data of this process and of those that it starts,
// each on its own, in bytes.
func LimitMemory(n uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return err
	}
	limit.Cur, limit.Max = min(limit.Cur, n), min(limit.Max, n)
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
