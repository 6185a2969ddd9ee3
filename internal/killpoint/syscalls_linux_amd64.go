package killpoint

import "golang.org/x/sys/unix"

// older are system calls that later architectures do not have.
var older = []operation{
	{nr: unix.SYS_OPEN, name: "open", path: 0, flags: 1},
	{nr: unix.SYS_CREAT, name: "creat", path: 0},
	{nr: unix.SYS_RENAME, name: "rename", path: 1},
	{nr: unix.SYS_LINK, name: "link", path: 1},
	{nr: unix.SYS_UNLINK, name: "unlink", path: 0},
	{nr: unix.SYS_MKDIR, name: "mkdir", path: 0},
	{nr: unix.SYS_RMDIR, name: "rmdir", path: 0},
	{nr: unix.SYS_SYMLINK, name: "symlink", path: 1},
	{nr: unix.SYS_RENAMEAT, name: "rename", path: 3},
}
