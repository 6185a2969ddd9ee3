package killpoint

import "golang.org/x/sys/unix"

// older are system calls that later architectures do not have.
var older = []operation{{nr: unix.SYS_RENAMEAT, name: "rename", path: 3}}
