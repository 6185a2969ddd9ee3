package diagnosis

// errno is the beginning of a line, or what stands before the text of an error of the
// system, so that a sentence about such errors is none.
const errno = `(?:^|: |\] |\(|= )`

// ending is what follows the text of an error of the system.
const ending = `(?:$|[.,;:)'"]|: | \(| at | -)`

// environmentCauses are those of the machine.
var environmentCauses = []*Cause{
	{
		ID: "command-missing", Area: Environment, Title: "A program is not installed or not on PATH",
		Fix: "Install the program, or put its folder on PATH of those who run it.", Test: "command -v {PROGRAM}",
		signs: []sign{
			matches(strong, "command not found", `: (?:line \d+: )?([^\s:]+): command not found`), matches(strong, "command not found", `command not found: (\S+)`), matches(strong, ": not found", `: \d+: ([^\s:]+): not found`), matches(strong, ": not found", `^(?:ba|da|z|k)?sh: (?:\d+: )?([^\s:]+): not found`), matches(strong, "executable file not found", `exec: "([^"]+)": executable file not found`),
			matches(strong, "no such file or directory", `^make(?:\[\d+\])?: ([^\s:/]+): No such file or directory`), matches(strong, "filenotfounderror", `FileNotFoundError: \[Errno 2\] No such file or directory: '([\w+-]+)'`), matches(strong, "spawn", `spawn (\S+) ENOENT`), matches(strong, "error=2", `Cannot run program "([^"]+)"`), matches(strong, "cannot run program", `Cannot run program "([^"]+)"`),
			matches(strong, "no such command", `no such (?:sub)?command: .(\w+)`), matches(strong, "env:", `env: .?([\w.+-]+).?: No such file or directory`), matches(plain, "error 127", `Error 127\b`), matches(plain, "127", `exit(?:ed with)? (?:code|status):? 127\b`), matches(strong, "unknown command", `unknown command "([^"]+)" for`), matches(strong, "is not a git command", `'(\S+)' is not a git command`), matches(strong, "is not recognized as an internal", `'(\S+)' is not recognized`),
			matches(strong, "linker", "linker `(\\S+)` not found"), matches(strong, "could not determine executable to run", `could not determine executable to run`), matches(strong, "could not find", `Could not find (?:the )?(?:program|command|executable|tool) .?(\w+)`), matches(strong, "no module named", `python[\d.]*: No module named (\w+)`), matches(strong, "is not installed", `(?:^|: )([\w.+-]+) is not installed`),
		},
	},
	{
		ID: "file-missing", Area: Environment, Title: "A file is not where it is looked for",
		Fix: "Create the file, or correct the path; look at the folder in which the command runs.", Test: "git ls-files -- {FILE}",
		After: []string{"command-missing", "header-missing", "module-missing", "not-executable", "git-not-a-repository", "linker", "git-lock", "git-revision-missing", "make-rule-missing", "registry-missing"},
		signs: []sign{
			matches(plain, "no such file or directory", `'([^']+)'.*: No such file or directory`), matches(strong, "no such file or directory", errno+`No such file or directory`+ending), matches(strong, "filenotfounderror", `FileNotFoundError: .*: '([^']+)'`), matches(strong, "enoent", `ENOENT: no such file or directory, \w+ '([^']+)'`), matches(against, "enoent", `spawn \S+ ENOENT`),
			matches(strong, "filenotfoundexception", `FileNotFoundException: (\S+)`), matches(strong, "nosuchfileexception", `NoSuchFileException: (\S+)`), matches(strong, "os error 2", `\(os error 2\)|code: 2, kind: NotFound`), matches(strong, "kind: notfound", `Os \{ code: 2, kind: NotFound`), matches(strong, "can't open file", `can't open file '([^']+)'`), matches(strong, "does not exist", `(?:error|fatal): .*?([\w./-]+)'? does not exist`),
			matches(strong, "file or directory not found", `file or directory not found: (\S+)`), matches(strong, "cannot access", `cannot access '([^']+)'`), matches(against, "fatal error", `fatal error: `), matches(strong, "couldn't read", `couldn't read .([^\x60']+)`), matches(strong, "error ts6053", `error TS6053: File '([^']+)'`), matches(strong, "the system cannot find the", `cannot find the (?:file|path)`), matches(strong, "file not found", `(?:error|file): file not found: (\S+)`), matches(strong, "error: file not found", `error: file not found: (\S+)`),
		},
	},
	{
		ID: "permission-denied", Area: Environment, Title: "The user may not do this",
		Fix: "Look at the owner and the mode of the file, or write somewhere else.", Test: "ls -ld {FILE}", After: []string{"git-auth", "not-executable"},
		signs: []sign{
			matches(strong, "permission denied", `([^\s:'"‘]+)['"’]?: Permission denied`+ending), matches(strong, "permission denied", errno+`Permission denied`+ending), matches(strong, "permissionerror", `PermissionError: .*'([^']+)'`), matches(strong, "eacces", `EACCES: permission denied(?:, \w+ '([^']+)')?`), matches(strong, "eacces", `\bcode:? '?EACCES`), matches(strong, "operation not permitted", errno+`Operation not permitted`+ending), matches(strong, "eperm", `EPERM: operation not permitted`),
			matches(strong, "accessdeniedexception", `AccessDeniedException: (\S+)`), matches(strong, "read-only file system", errno+`Read-only file system`+ending), says(strong, "erofs"), matches(against, "publickey", `Permission denied \((?:publickey|password)`), says(strong, "kind: permissiondenied"), matches(strong, "permission denied", `open \S+: permission denied`), matches(plain, "permission denied", `permission denied while trying to connect`),
		},
	},
	{
		ID: "not-executable", Area: Environment, Title: "A file cannot be run: its mode, its format or its first line is wrong",
		Fix: "Set the mode with chmod +x, correct the first line, or build for this machine.", Test: "file {FILE}",
		signs: []sign{
			says(strong, "exec format error"), says(strong, "bad interpreter"), matches(strong, "cannot execute", `(\S+): cannot execute`), matches(strong, "permission denied", `^(?:(?:ba|da|z|k)?sh|make(?:\[\d+\])?|\S+\.sh): (?:line )?(?:\d+: )?(\.{1,2}/[^\s:]+): Permission denied$`), matches(strong, "error 126", `Error 126\b`), matches(strong, "126", `exit(?:ed with)? (?:code|status):? 126\b`), matches(strong, "fork/exec", `fork/exec (\S+): permission denied`), matches(strong, "errno 8", `OSError: \[Errno 8\]`),
			matches(strong, "permissionerror", `PermissionError: \[Errno 13\] Permission denied: '(\./[^']+)'`), matches(strong, "spawn", `spawn (\S+) EACCES`), matches(strong, "/usr/bin/env", `/usr/bin/env: .*\\r`), matches(strong, "hook was ignored", `hook was ignored because it's not set as executable`), matches(strong, "error=13", `error=13, Permission denied`), matches(strong, "error=8", `error=8, Exec format`),
		},
	},
	{
		ID: "port-in-use", Area: Environment, Title: "Another program listens at the port",
		Fix: "End that program, or choose another port; a test asks for port 0.", Test: "ss -ltnp",
		signs: []sign{matches(strong, "address already in use", errno+`address already in use`), says(strong, "eaddrinuse"), matches(strong, "is already in use", `port (\d+) is already in use`), matches(strong, "is already allocated", `port is already allocated`), matches(strong, "bindexception", `BindException`), says(strong, "kind: addrinuse"), matches(strong, "port", `Something is already running on port (\d+)`)},
	},
	{
		ID: "connection-refused", Area: Environment, Title: "Nobody listens where the program connects to",
		Fix: "Start the service, or correct its address and port.", Test: "ss -ltn",
		signs: []sign{
			matches(strong, "connection refused", `(\S+:\d+)?`+errno+`(?:connect: )?connection refused`), matches(strong, "econnrefused", `ECONNREFUSED (\S+)`), matches(plain, "econnrefused", `\bcode: 'ECONNREFUSED'`), matches(strong, "failed to connect to", `Failed to connect to (\S+ port \d+)`), says(strong, "connectionrefusederror"), says(strong, "couldn't connect to server"), matches(strong, "kind: connectionrefused", `ConnectionRefused`), matches(strong, "connectexception", `ConnectException`), matches(strong, "connection refused", `\bis the server running`),
			matches(strong, "cannot connect to the docker daemon", `Cannot connect to the Docker daemon`), matches(strong, "connection refused", errno+`Connection refused`+ending), matches(strong, "warning: retrying", `WARNING: Retrying \(.*Connection refused`), matches(strong, "connect to host", `connect to host \S+ port \d+: Connection refused`),
		},
	},
	{
		ID: "dns", Area: Environment, Title: "The name of a host does not resolve",
		Fix: "Correct the name, or mend the network or the resolver of this machine.", Test: "getent hosts {HOST}",
		signs: []sign{
			matches(strong, "warning: retrying", `WARNING: Retrying \(.*(?:Name or service not known|name resolution|nodename nor servname)`), matches(strong, "could not resolve host", `Could not resolve host(?:name)?:? '?([\w.-]+)`), matches(strong, "no such host", `lookup ([\w.-]+)(?: on \S+)?: no such host`), matches(strong, "enotfound", `getaddrinfo ENOTFOUND ([\w.-]+)`), matches(strong, "eai_again", `getaddrinfo EAI_AGAIN ([\w.-]+)`), matches(plain, "enotfound", `\bcode:? '?ENOTFOUND`), matches(strong, "name or service not known", `Name or service not known`), matches(strong, "temporary failure in name resolution", `Temporary failure in name resolution`), matches(strong, "unknownhostexception", `UnknownHostException: ([\w.-]+)`), matches(strong, "nodename nor servname", `nodename nor servname`), matches(strong, "failed to lookup address", `failed to lookup address`), matches(strong, "couldn't resolve host", `Couldn't resolve host(?:name)?`), matches(strong, "unable to resolve host", `unable to resolve host`), matches(strong, "server misbehaving", `lookup ([\w.-]+).*server misbehaving`),
		},
	},
	{
		ID: "tls-certificate", Area: Environment, Title: "The certificate of a server is not trusted",
		Fix: "Install the authority that signed it, mend the clock, or renew the certificate; do not switch the check off.", Test: "openssl s_client -connect HOST:443", After: []string{"dns", "connection-refused"},
		signs: []sign{
			matches(strong, "warning: retrying", `WARNING: Retrying \(.*CERTIFICATE_VERIFY_FAILED`), matches(strong, "certificate", `SSL certificate problem`), says(strong, "certificate_verify_failed"), says(strong, "certificate verify failed"), matches(strong, "x509: ", `x509: certificate`), says(strong, "depth_zero_self_signed_cert"), says(strong, "self-signed certificate"), says(strong, "self signed certificate"), says(strong, "unable_to_verify_leaf_signature"), says(strong, "unable to verify the first certificate"), says(strong, "unable to get local issuer certificate"), says(strong, "cert_has_expired"), says(strong, "pkix path building failed"), says(strong, "sslhandshakeexception"), says(strong, "server certificate verification failed"), says(strong, "err_tls_cert_altname_invalid"), says(strong, "certificate has expired"), says(strong, "x509: "), says(plain, "tls handshake"),
		},
	},
	{
		ID: "network-timeout", Area: Environment, Title: "A server does not answer in time",
		Fix: "Try again later, or look at the network, the proxy and the firewall.", Test: "git ls-remote --heads origin", After: []string{"test-timeout", "dns", "agent-timeout"},
		signs: []sign{
			matches(strong, "warning: retrying", `WARNING: Retrying \(.*timed? ?out`), matches(strong, "timed out", `(?:connection|operation|connect|read|request|handshake) timed out`), says(strong, "etimedout"), matches(strong, "i/o timeout", `(?:dial|read|write) .*i/o timeout`), says(strong, "esockettimedout"), says(strong, "err_socket_timeout"), says(strong, "und_err_connect_timeout"), says(strong, "connect timeout error"), says(strong, "sockettimeoutexception"), says(strong, "connecttimeoutexception"), says(strong, "httpconnecttimeoutexception"), matches(strong, "timeouterror", `^\s*(?:E\s+)?(?:socket\.timeout|TimeoutError): (?:timed out|The read|\[Errno 110\])`), matches(strong, "readtimeout", `Read(?:Timeout|TimeoutError)`), matches(strong, "connecttimeout", `ConnectTimeout`), says(strong, "net/http: request canceled while waiting for connection"), says(strong, "client.timeout exceeded"), matches(strong, "timed out", `curl: \(28\)`), matches(strong, "context deadline exceeded", `(?:Get|Post|Put) "https?://.*context deadline exceeded`), says(strong, "network is unreachable"), says(plain, "no route to host"), says(strong, "econnreset"), says(plain, "rpc failed; curl"), says(plain, "early eof"),
		},
	},
	{
		ID: "env-variable-missing", Area: Environment, Title: "A variable of the environment is not set",
		Fix: "Set the variable where the command runs; a supervisor passes on only what its configuration names.", Test: "printenv {NAME}",
		signs: []sign{
			matches(strong, "parameter not set", `: ([A-Za-z_]\w*): parameter (?:null or )?not set`), matches(strong, "unbound variable", `: ([A-Za-z_]\w*): unbound variable`), matches(strong, "must be set", `\b([A-Z][A-Z0-9_]{2,})\b.*must be set`), matches(strong, "environ", `\b(?:environment variable|env var)\b.*?\b([A-Z][A-Z0-9_]{2,}).*(?:not set|missing|required|not defined|not found)`), matches(strong, "environment variable", `\b([A-Z][A-Z0-9_]{2,})\b.*environment variable.*(?:not set|missing|required|not defined|is empty)`), matches(strong, "missing", `Missing (?:required )?env(?:ironment)?(?: variable)?s?:? '?"?([A-Z][A-Z0-9_]{2,})`), matches(strong, "keyerror", `KeyError: '([A-Z][A-Z0-9]*_[A-Z0-9_]+)'`), matches(strong, "environment variable not found", `environment variable not found`), matches(strong, "notpresent", `on an .Err. value: NotPresent`), matches(strong, "is not set", `(?:^|[\s:$"'\x60])([A-Z][A-Z0-9]*_[A-Z0-9_]*)["'\x60]? is not (?:set|defined)`), matches(strong, "frozen os", `File "<frozen os>", line \d+, in __getitem__`), matches(strong, "os.py", `os\.py", line \d+, in __getitem__`), matches(plain, "undefined", `process\.env\.([A-Z_]+) is undefined`),
			matches(strong, "environment variable", `environment variable .?([A-Z][A-Z0-9_]{2,}).? (?:is )?(?:not|un|required|missing)`), matches(strong, "_required", `\b([A-Z][A-Z0-9_]{2,}) is required`), matches(strong, "is required", `(?:^|: )([A-Z][A-Z0-9]*_[A-Z0-9_]+) is required`),
		},
	},
	{
		ID: "encoding", Area: Environment, Title: "Bytes are not in the expected character encoding",
		Fix: "Save the file as UTF-8, or name its encoding where it is read; set LC_ALL=C.UTF-8.", Test: "file {FILE}",
		signs: []sign{says(strong, "unicodedecodeerror"), says(strong, "unicodeencodeerror"), says(strong, "invalid utf-8"), says(strong, "stream did not contain valid utf-8"), says(strong, "not valid utf-8"), says(strong, "invalidutf8"), says(strong, "malformedinputexception"), says(strong, "unmappable character"), says(strong, "illegal byte sequence"), says(strong, "illegal utf-8 encoding"), says(strong, "invalid byte sequence"), matches(strong, "utf8error", `Utf8Error`), says(strong, "err_encoding_invalid_encoded_data"), says(strong, "non-utf-8 code starting with"), says(strong, "the encoded data was not valid"), says(strong, "invalid unicode"), says(strong, "unexpected bom in the middle"), says(strong, "unicodeerror")},
	},
	{
		ID: "json-invalid", Area: Environment, Title: "A file or an answer in JSON, YAML or TOML does not parse",
		Fix: "Mend the place that the message names; of an answer look at what the server really sent.", Test: "git diff",
		signs: []sign{
			says(strong, "jsondecodeerror"), says(strong, "is not valid json"), matches(strong, "json.parse", `^\s+at JSON\.parse \(`), matches(strong, "json", `SyntaxError: .*(?:is not valid JSON|in JSON at position|JSON input)`), says(strong, "ejsonparse"), says(strong, "jsonparseerror"), says(strong, "failed to parse json"), matches(strong, "looking for beginning of", `invalid character .* looking for beginning of`), matches(strong, "invalid character", `invalid character '.*' (?:after|in|looking)`), says(strong, "unexpected end of json input"), matches(strong, "cannot unmarshal", `(?:json|yaml|toml): .*cannot unmarshal`), matches(strong, "yaml: ", `yaml: (?:line|unmarshal|did not|mapping|found|control)`), matches(strong, "yaml.", `yaml\.(?:scanner|parser)\.\w+Error`), says(strong, "yamlexception"), says(strong, "yamlparseerror"), matches(strong, "toml", `TOML(?:Decode)?Error|TOML parse error`), matches(strong, "cargo.toml", `(?:-->|parse manifest at) .*Cargo\.toml`), matches(strong, "failed to parse manifest", `failed to parse manifest`), says(strong, "could not parse input as toml"), says(strong, "jsonparseexception"), says(strong, "jsonsyntaxexception"), says(strong, "malformedjsonexception"), matches(strong, "expected", `expected .* at line \d+ column \d+`), matches(strong, "parse error", `jq: (?:parse )?error`), matches(strong, "error parsing", `error parsing \S+\.(?:json|ya?ml|toml)`), matches(strong, "tomldecodeerror", `TOMLDecodeError`), matches(strong, "mapping values are not allowed", `mapping values are not allowed`), says(strong, "unterminated string in json"), matches(strong, "errors parsing go.mod", `errors parsing go\.mod`),
		},
	},
	{
		ID: "disk-full", Area: Environment, Title: "The disk is full",
		Fix: "Remove what is not needed: caches, old worktrees, build output.", Test: "df -h .",
		Steps: []Step{
			{[]string{"git", "liza", "worktree", "list"}, Safe, "Old checkouts take space.", "it only reads"},
			{[]string{"git", "clean", "-ndx"}, Safe, "Shows which files git does not keep.", "it only reads"},
			{[]string{"git", "clean", "-fdx"}, Destructive, "Removes files that git does not keep, ignored ones too.", "nothing brings them back"},
		},
		signs: []sign{says(strong, "no space left on device"), says(strong, "enospc"), says(strong, "disk quota exceeded"), says(strong, "edquot"), says(strong, "not enough free disk space"), says(strong, "disk is full"), says(strong, "storagefull"), says(strong, "there is not enough space on the disk"), matches(strong, "not enough space", `You don't have enough free space|not enough (?:free )?(?:disk )?space`)},
	},
	{
		ID: "file-descriptors", Area: Environment, Title: "Too many files are open",
		Fix: "Close files after use, or raise the limit with ulimit -n.", Test: "ulimit -n",
		signs: []sign{says(strong, "too many open files"), says(strong, "emfile"), says(strong, "enfile"), says(strong, "filesystemexception: too many"), matches(strong, "inotify", `inotify (?:watch|instance) limit|limit for number of file watchers`), matches(strong, "file watchers", `number of file watchers reached`)},
	},
}
