package document

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A document like that of a task under review.
type yamlTask struct {
	ID       string        `yaml:"id"`
	Title    string        `yaml:"title"`
	Done     string        `yaml:"done_when"`
	Spec     string        `yaml:"spec"`
	Scope    string        `yaml:"scope"`
	Priority int           `yaml:"priority"`
	Status   string        `yaml:"status"`
	Depends  []string      `yaml:"depends_on"`
	Owns     []string      `yaml:"owns"`
	Verify   string        `yaml:"verify"`
	Created  time.Time     `yaml:"created"`
	By       string        `yaml:"by"`
	Base     string        `yaml:"base"`
	Commit   string        `yaml:"commit"`
	Lease    time.Time     `yaml:"lease_expires"`
	Reject   string        `yaml:"rejection"`
	Findings []yamlFinding `yaml:"findings"`
}

var benchTask = yamlTask{
	ID: "task-3", Title: "Log in with a password", Done: "go test ./login passes and a wrong password is refused",
	Spec: "specs/login.md#password", Scope: "login and its tests", Priority: 2, Status: "READY_FOR_REVIEW",
	Depends: []string{"task-1", "task-2"}, Owns: []string{"login/**", "cmd/login.go"}, Verify: "go test ./login/...",
	Created: time.Unix(1768658760, 0).UTC(), By: "coder-1", Base: "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4",
	Commit: "5c1e0a44d2b97f315c1e0a44d2b97f315c1e0a44", Lease: time.Unix(1768660560, 0).UTC(),
	Reject:   "The password is logged.\nRemove line 7.\n",
	Findings: []yamlFinding{{File: "login/login.go", Line: 7, Why: "It logs: the password."}},
}

func BenchmarkEncode(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := Encode(&benchTask)
		require.NoError(b, err)
	}
}

func BenchmarkDecode(b *testing.B) {
	data, err := Encode(&benchTask)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		var v yamlTask
		require.NoError(b, Decode("x", data, &v))
	}
}
