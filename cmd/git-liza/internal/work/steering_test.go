package work

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Keys of git's manual whose value is a program, names one, lets one run or redirects a
// remote are compared after a session.
func TestSteeringKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"alias.x", "core.alternaterefscommand", "core.askpass", "core.attributesfile", "core.editor", "core.fsmonitor", "core.gitproxy",
		"core.hookspath", "core.pager", "core.sshcommand", "credential.helper", "credential.https://example.org.helper", "diff.external",
		"diff.x.command", "diff.x.textconv", "difftool.x.cmd", "difftool.x.path", "filter.x.clean", "filter.x.process", "filter.x.smudge",
		"gpg.program", "gpg.ssh.program", "gpg.ssh.defaultkeycommand", "hook.x.command", "hook.x.event", "http.proxy", "http.https://example.org.proxy", "interactive.difffilter",
		"merge.x.driver", "mergetool.x.cmd", "mergetool.x.path", "pager.log", "protocol.allow", "protocol.ext.allow", "remote.x.fetch",
		"remote.x.proxy", "remote.x.pushurl", "remote.x.receivepack", "remote.x.uploadpack", "remote.x.url", "remote.x.vcs",
		"sequence.editor", "submodule.x.update", "trailer.x.cmd", "trailer.x.command", "url.x.insteadof", "url.ext::sh -c y .pushinsteadof",
	} {
		require.True(t, steers(key), key)
	}
	for _, key := range []string{"color.ui", "core.autocrlf", "diff.algorithm", "http.sslverify", "merge.conflictstyle", "remote.x.prune", "submodule.x.path", "user.name", "core"} {
		require.False(t, steers(key), key)
	}
}
