package config

// gitGroups are the groups of git's configuration.
func gitGroups() []Group {
	return []Group{providerGroup(), sessionGroup(), launcherGroup(), rushGroup(), notifyGroup(), trustGroup(), remoteGroup(), identityGroup(), serverGroup()}
}

func providerGroup() Group {
	const readers = "`agent`, `rush`, `doctor`, `providers`, `prompt`"
	return Group{Name: "providers", About: "the programs that agents are", Place: Git, Keys: []Key{
		{Name: "liza.provider", Meaning: "the [provider](agents.md) of all roles", Default: "the only one that is installed",
			Unit: "`NAME`, `NAME:MODEL`, `exec:COMMAND`, `acp:COMMAND`", Readers: readers},
		{Name: "liza.ROLE.provider", Meaning: "the provider of one role of the board", Default: "that of its row, or `liza.provider`", Unit: "as above", Readers: readers},
		{Name: "liza.ROLE.model", Meaning: "the model of one role of the board", Default: "that of its row, or `liza.provider.NAME.model`", Unit: "a name that the provider knows", Readers: readers},
		{Name: "liza.provider.NAME.KEY", Meaning: "one value of a provider's row", Default: "[the built-in row](#rows-of-providers)", Unit: "see there", Readers: readers},
		{Name: "liza.script.playbook", Meaning: "the playbook of the provider `script`", Default: "`specs/playbook.yaml`",
			Unit: "path from the top of the checkout", Readers: "`script` agents"},
	}}
}

func sessionGroup() Group {
	return Group{Name: "sessions", About: "how long the session of an agent may last", Place: Git, Keys: []Key{
		{Name: "liza.idle", Meaning: "silence after which a session ends", Default: "`15m`", Unit: "span", Readers: "`agent`, `rush`, when they begin"},
		{Name: "liza.wall", Meaning: "length of a session; a planner gets twice as long", Default: "`2h` (planner `4h`)", Unit: "span", Readers: "`agent`, `rush`, when they begin"},
		{Name: "liza.backoff", Meaning: "pause before the first repetition after a failed session; doubles up to a minute", Default: "`2s`",
			Unit: "span", Readers: "`agent`, `rush`, when they begin"},
		{Name: "liza.await", Meaning: "how long a coder may stay in its session to wait for the verdict", Default: "off",
			Unit: "span, an hour at most", Readers: "`agent`, `rush`, `prompt`"},
		{Name: "liza.learnt", Meaning: "how much a prompt tells of [what was learnt](guide.md#what-was-learnt): lessons, and rejections of other work in the same paths; 0 is nothing", Default: "`4096`",
			Unit: "bytes, up to 65536", Readers: "`agent`, `rush`, `prompt`"},
		{Name: "liza.context.handoff", Meaning: "how full the [context](agents.md#a-full-context) of a coder's session may be; then another session goes on; 0 is never", Default: "`0.7`",
			Unit: "number from 0 to 1", Readers: "`agent`, `rush`, when they begin"},
	}}
}

func launcherGroup() Group {
	const readers = "`agent`, `rush`, `prompt`"
	return Group{Name: "launchers", About: "where sessions run", Place: Git, Keys: []Key{
		{Name: "liza.launcher", Meaning: "where the sessions of all roles run", Default: "`process`",
			Unit: "`process`, `container`, or `auto`: in a [container](agents.md#containers) where `.devcontainer/devcontainer.json` exists and an engine answers; or the name of one that a trusted [extension](guide.md#extensions) brings", Readers: readers},
		{Name: "liza.launcher.ROLE", Meaning: "where the sessions of one role run", Default: "`liza.launcher`", Unit: "as above", Readers: readers},
		{Name: "liza.container.engine", Meaning: "the program that runs containers", Default: "`podman`, else `docker`", Unit: "name on the PATH, or path", Readers: readers},
		{Name: "liza.container.image", Meaning: "the image of containers; it must be on this machine", Default: "that of `.devcontainer/devcontainer.json`", Unit: "name of an image", Readers: readers},
		{Name: "liza.container.user", Meaning: "the user in containers; never root", Default: "the user who runs the supervisor", Unit: "`UID:GID`", Readers: readers},
		{Name: "liza.container.memory", Meaning: "most memory of a container, with swap", Default: "`4g`", Unit: "bytes; `k`, `m` and `g` multiply", Readers: readers},
		{Name: "liza.container.processes", Meaning: "most processes and threads in a container", Default: "1024", Unit: "number from 1", Readers: readers},
	}}
}

func rushGroup() Group {
	return Group{Name: "rushes", About: "what bounds a rush where no budget does, and what stops it", Place: Git, Keys: []Key{
		{Name: "liza.task.sessions", Meaning: "most sessions on one task", Default: "10, where [no budget binds](agents.md#what-an-agent-costs)",
			Unit: "number from 1", Readers: "`agent`, `rush`, `doctor`"},
		{Name: "liza.task.minutes", Meaning: "most minutes of sessions on one task", Default: "120, likewise", Unit: "number from 1", Readers: "`agent`, `rush`, `doctor`"},
		{Name: "liza.rush.sessions", Meaning: "most sessions in one rush", Default: "100, likewise", Unit: "number from 1", Readers: "`agent`, `rush`, `doctor`"},
		{Name: "liza.rush.minutes", Meaning: "most minutes of sessions in one rush", Default: "1440, likewise", Unit: "number from 1", Readers: "`agent`, `rush`, `doctor`"},
		{Name: "liza.breaker", Meaning: "supervisors and `watch` on this machine trip the [circuit breaker](guide.md#the-circuit-breaker)", Default: "on", Unit: "switch",
			Readers: "`watch`, `agent`, `rush`, when they begin"},
	}}
}

func notifyGroup() Group {
	const readers = "`watch`, `agent`, `rush`, when they begin"
	return Group{Name: "notify", About: "where [calls](guide.md#alarms) go that nobody looks at", Place: Git, Keys: []Key{
		{Name: "liza.notify", Meaning: "a command that gets calls on its standard input, and their keys in `LIZA_ALARM_KEYS`; it has half a minute", Default: "none",
			Unit: "shell command", Readers: readers},
		{Name: "liza.notify.every", Meaning: "the shortest time between two messages; one gathers what came", Default: "`1m`", Unit: "span", Readers: readers},
	}}
}

func trustGroup() Group {
	return Group{Name: "trust", About: "which commands of the board this machine runs", Place: Git, Keys: []Key{
		{Name: "liza.trust.allow", Meaning: "a command of the board that may run on this machine; one line per command", Default: "none",
			Unit: "SHA-256 of the command, in hexadecimal; `git liza trust` writes it", Readers: "`submit`, `merge`, `agent`, `rush`"},
		{Name: "liza.trust.planner", Meaning: "commands that this machine's planners put on the board, or that its supervisors import with an approved plan, may run here", Default: "off", Unit: "switch",
			Readers: "`submit`, `merge`, `agent`, `rush`"},
	}}
}

func remoteGroup() Group {
	return Group{Name: "remote", About: "where the board is, and how its moves are written", Place: Git, Keys: []Key{
		{Name: "liza.remote", Meaning: "the remote whose state ref is the authority", Default: "none: the board is in this clone",
			Unit: "name of a remote; `init --remote` and `sync --set` write it", Readers: "every command"},
		{Name: "liza.remoteTimeout", Meaning: "longest conversation with the remote", Default: "`60s`", Unit: "span, or a number of seconds",
			Readers: "commands that talk to the remote"},
		{Name: "liza.pr.remote", Meaning: "the remote to which `pr push` pushes branches of pull requests", Default: "`liza.remote`, else the only one",
			Unit: "name of a remote", Readers: "`pr push`"},
		{Name: "liza.fsync", Meaning: "how far an answer survives a power cut", Default: "`batch`",
			Unit: "`batch`, `all` or `none`, see [what an answer promises](design/format.md#what-an-answer-promises)", Readers: "every move; `hooks install --server`"},
	}}
}

func identityGroup() Group {
	return Group{Name: "identity", About: "as which principals this clone acts", Place: Git, Keys: []Key{
		{Name: "liza.principal", Meaning: "the principal that this clone acts as", Default: "none", Unit: "name; the first `principal add` writes it", Readers: "every move"},
		{Name: "liza.agent.ID.principal", Meaning: "the principal of one agent's moves", Default: "`liza.principal`", Unit: "name", Readers: "moves of that agent"},
		{Name: "liza.principal.NAME.key", Meaning: "the SSH key that signs the moves of a principal", Default: "`liza/keys/NAME` in the git directory, if it exists",
			Unit: "absolute path, or `~/…`; of a `.pub` file the ssh agent holds the private part", Readers: "every move of that principal"},
	}}
}

func serverGroup() Group {
	return Group{Name: "server", About: "how a server judges pushes", Place: Git, Keys: []Key{
		{Name: "liza.server.userEnv", Meaning: "the environment variable that names the user who pushes", Default: "none: only signatures tell",
			Unit: "name of a variable", Readers: "the hooks of a server, `doctor`"},
		{Name: "liza.server.requireSignedMoves", Meaning: "every move must be signed by a key of its principal", Default: "off", Unit: "switch", Readers: "the hooks of a server"},
		{Name: "liza.server.admin", Meaning: "the principal that must make the first push", Default: "none: anybody",
			Unit: "name; `hooks install --server --admin` writes it", Readers: "the hooks of a server"},
		{Name: "liza.server.adminKey", Meaning: "the public key of that principal", Default: "none",
			Unit: "one line, `TYPE BASE64`; `hooks install --server --key` writes it", Readers: "the hooks of a server"},
		{Name: "liza.server.memory", Meaning: "most memory of a hook, and of each of its git processes", Default: "`2g`",
			Unit: "bytes; `k`, `m` and `g` multiply by 1024", Readers: "the hooks of a server"},
	}}
}
