package diagnosis

// gitCauses are those for which git refuses.
var gitCauses = []*Cause{
	{
		ID: "git-merge-conflict", Area: Git, Title: "Both sides changed the same lines",
		Fix: "Edit the files that have conflicts, add them, and go on; or give the merge up.", Test: "git diff --name-only --diff-filter=U",
		Steps: []Step{
			{[]string{"git", "diff", "--name-only", "--diff-filter=U"}, Safe, "Names the files with conflicts.", "it only reads"},
			{[]string{"git", "merge", "--abort"}, Moderate, "Goes back to before the merge.", "git merge BRANCH"},
			{[]string{"git", "rebase", "--abort"}, Moderate, "Goes back to before the rebase.", "git rebase BRANCH"},
			{[]string{"git", "reset", "--hard"}, Destructive, "Drops the merge and every change that is not committed.", "nothing brings the changes back"},
		},
		signs: []sign{
			matches(strong, "conflict (", `^(?:.*: )?CONFLICT \([^)]+\): .* in (\S+)`), matches(strong, "conflict (", `CONFLICT \(`), says(strong, "automatic merge failed"), matches(strong, "could not apply", `(?:error: )?could not apply [0-9a-f]+`), says(strong, "you have unmerged paths"), matches(strong, "needs merge", `: needs merge$`), matches(strong, "unmerged", `(?:you have unmerged files|is unmerged|unmerged files)`), matches(strong, "<<<<<<<", `^\s*(?:[\w./-]+:\d+:)?<<<<<<< \S`), matches(strong, "merge conflict", `(?:Encountered|has|have|contains?) (?:a )?merge conflict`), matches(strong, "patch does not apply", `patch does not apply`), says(strong, "patch failed:"), matches(strong, "would be overwritten by", `local changes .* would be overwritten by (?:merge|checkout|rebase)`), says(strong, "would be overwritten by merge"),
		},
	},
	{
		ID: "git-lock", Area: Git, Title: "A lock file of git stands: another git works here, or one died",
		Fix: "Wait for the other git. If none runs, remove the lock that the message names.", Test: "git liza doctor",
		Steps: []Step{{[]string{"git", "liza", "doctor", "--unlock"}, Moderate, "Clears locks on the board's refs that a program left.", "nothing to take back: a lock holds no data"}},
		signs: []sign{
			matches(strong, ".lock", `Unable to create '([^']+\.lock)'`), says(strong, "another git process seems to be running"), matches(strong, "cannot lock ref", `cannot lock ref '([^']+)'`), matches(strong, ".lock", `could not lock (?:config file|.*) .*\.lock|could not lock config file (\S+)`), matches(strong, "could not lock", `could not lock config file (\S+)`), says(strong, "unable to lock"),
		},
	},
	{
		ID: "git-dubious-ownership", Area: Git, Title: "The repository belongs to another user",
		Fix: "Give the folder to the user who works in it, or name it in safe.directory.", Test: "git config --global --get-all safe.directory",
		Steps: []Step{{[]string{"git", "config", "--global", "--add", "safe.directory", "FOLDER"}, Moderate, "Lets git work in that folder.", "git config --global --unset safe.directory FOLDER"}},
		signs: []sign{says(strong, "detected dubious ownership"), says(plain, "safe.directory"), matches(strong, "unsafe repository", `unsafe repository \('([^']+)'`)},
	},
	{
		ID: "git-identity-missing", Area: Git, Title: "Git does not know who commits",
		Fix: "Set a name and an address for this repository.", Test: "git config user.email",
		Steps: []Step{{[]string{"git", "config", "user.name", "NAME"}, Moderate, "Names who commits here.", "git config --unset user.name"}, {[]string{"git", "config", "user.email", "ADDRESS"}, Moderate, "Names the address.", "git config --unset user.email"}},
		signs: []sign{says(strong, "please tell me who you are"), says(strong, "identity unknown"), says(strong, "unable to auto-detect email address"), says(strong, "no email was given"), says(strong, "empty ident name"), says(strong, "no name was given")},
	},
	{
		ID: "git-non-fast-forward", Area: Git, Title: "The remote is ahead: a push was refused",
		Fix: "Fetch, put your commits on top, and push again.", Test: "git status -sb",
		Steps: []Step{{[]string{"git", "fetch"}, Safe, "Brings what the remote has.", "nothing to take back: no branch of yours moves"}, {[]string{"git", "rebase", "@{upstream}"}, Moderate, "Puts your commits on top of the remote's.", "git reset --hard ORIG_HEAD"}},
		signs: []sign{matches(strong, "[rejected]", `! \[rejected\] .*\((?:fetch first|non-fast-forward|stale info|needs force)\)`), says(strong, "non-fast-forward"), says(strong, "tip of your current branch is behind"), says(strong, "remote contains work that you do"), says(strong, "not possible to fast-forward"), says(strong, "have divergent branches"), says(strong, "have diverged")},
	},
	{
		ID: "git-auth", Area: Git, Title: "A host of git asks for credentials, or refuses those it got",
		Fix: "Add the key or the token of the user who runs this; ask the owner of the repository for access.", Test: "git ls-remote --heads origin", After: []string{"dns", "tls-certificate", "connection-refused", "network-timeout"},
		signs: []sign{
			matches(strong, "could not read", `could not read (?:Username|Password) for '?([^']+)`), matches(strong, "permission denied (", `Permission denied \((?:publickey|password|keyboard)`), says(strong, "authentication failed for"), says(strong, "terminal prompts disabled"), says(strong, "host key verification failed"), says(plain, "could not read from remote repository"), matches(strong, "repository not found", `(?:remote|ERROR): Repository not found`), matches(strong, "returned error: 40", `requested URL returned error: 40[13]`), says(strong, "invalid username or password"), says(strong, "invalid username or token"), says(strong, "support for password authentication was removed"), matches(strong, "denied to", `remote: Permission to \S+ denied to`), says(strong, "too many authentication failures"), says(plain, "http basic: access denied"),
		},
	},
	{
		ID: "git-revision-missing", Area: Git, Title: "A branch, tag, commit or path is not known here",
		Fix: "Fetch it, or correct its name.", Test: "git for-each-ref --format='%(refname:short)'",
		Steps: []Step{{[]string{"git", "fetch"}, Safe, "Brings branches that the remote has.", "nothing to take back: no branch of yours moves"}},
		signs: []sign{
			matches(strong, "did not match any file", `pathspec '([^']+)' did not match any file`), matches(strong, "unknown revision", `ambiguous argument '([^']+)'`), matches(strong, "bad revision", `bad revision '([^']+)'`), matches(strong, "not a valid object name", `Not a valid object name:? '?([^'\s]+)`), matches(strong, "invalid reference", `invalid reference: (\S+)`), matches(strong, "couldn't find remote ref", `couldn't find remote ref (\S+)`), matches(strong, "does not match any", `src refspec (\S+) does not match any`), matches(strong, "remote branch", `Remote branch (\S+) not found`), matches(strong, "not something we can merge", `(\S+) - not something we can merge`), matches(strong, "invalid upstream", `invalid upstream '?([^'\s]+)`), matches(strong, "is not a commit", `'([^']+)' is not a commit`), matches(strong, "needed a single revision", `Needed a single revision`), matches(strong, "exists on disk, but not in", `path '([^']+)' exists on disk, but not in`), matches(strong, "does not exist in", `path '([^']+)' does not exist in '`), matches(strong, "no such ref", `no such ref: (\S+)`), matches(strong, "no such remote", `No such remote:? '?(\w+)`), matches(strong, "unknown revision", `unknown revision (\S+)`), matches(strong, "does not appear to be a git repository", `'([^']+)' does not appear to be a git repository`), matches(strong, "does not have any commits yet", `does not have any commits yet`), matches(strong, "invalid object name", `[Ii]nvalid object name '?([^'\s]+)`), matches(strong, "couldn't find", `branch '([^']+)' not found`), matches(strong, "not found", `^(?:error|fatal): (?:branch|tag|ref) '([^']+)' not found`),
		},
	},
	{
		ID: "git-worktree-taken", Area: Git, Title: "A branch is checked out in another worktree",
		Fix: "Work in that worktree, remove it, or take another branch.", Test: "git worktree list",
		Steps: []Step{{[]string{"git", "worktree", "list"}, Safe, "Says where each branch is checked out.", "it only reads"}, {[]string{"git", "worktree", "prune"}, Moderate, "Forgets worktrees whose folders are gone.", "git worktree add FOLDER BRANCH"}},
		signs: []sign{matches(strong, "is already checked out at", `'([^']+)' is already checked out at`), matches(strong, "already used by worktree", `'([^']+)' is already used by worktree`), matches(strong, "used by worktree", `used by worktree at`), matches(strong, "is a missing but", `is a missing but (?:already registered|locked) worktree`), matches(strong, "checked out at", `(?:cannot|refusing to) .*checked out at`), matches(strong, "already exists", `fatal: '?(\S*worktrees?\S*?)'? already exists`)},
	},
	{
		ID: "git-hook-refused", Area: Git, Title: "A hook refused",
		Fix: "Do what the lines of the hook before the refusal ask for.", Test: "git liza doctor", After: []string{"git-non-fast-forward"},
		signs: []sign{says(strong, "hook declined"), matches(strong, "hook", `(?:pre-commit|commit-msg|pre-push|prepare-commit-msg|pre-receive|update|pre-rebase|reference-transaction) hook (?:failed|exited|refused|returned)`), matches(strong, "husky", `husky - \S+ (?:hook|script) (?:exited|failed)`), matches(strong, "in reference-transaction hook", `ref updates aborted by hook|hook`), says(strong, "ref updates aborted by hook"), matches(strong, "protected branch", `protected branch hook|GH006`), matches(strong, "gh013", `GH013`), matches(strong, "hook id:", `^- hook id: (\S+)`), matches(strong, "pre-commit", `hook '?pre-commit'? failed`), matches(strong, "remote rejected", `! \[remote rejected\] .*\(.*(?:hook|declined|protected|prohibited|denied).*\)`)},
	},
	{
		ID: "git-not-a-repository", Area: Git, Title: "The folder is not in a repository of git",
		Fix: "Change to the repository, or make one with git init.", Test: "git rev-parse --show-toplevel", After: []string{"git-dubious-ownership"},
		signs: []sign{says(strong, "not a git repository"), says(strong, "this operation must be run in a work tree")},
	},
	{
		ID: "git-corrupt", Area: Git, Title: "Objects of git are missing or damaged",
		Fix: "Fetch the objects anew from a remote or another clone before anything else is changed.", Test: "git fsck --full", After: []string{"disk-full"},
		Steps: []Step{{[]string{"git", "fsck", "--full"}, Safe, "Names the objects that are damaged.", "it only reads"}, {[]string{"git", "liza", "fsck"}, Safe, "Replays the moves of the board.", "it only reads"}, {[]string{"git", "fetch", "--refetch"}, Moderate, "Brings all objects of the remote again.", "nothing to take back: objects are added only"}, {[]string{"git", "liza", "doctor", "--restore"}, Moderate, "Puts refs that git cannot read back to what it can read.", "git update-ref REF COMMIT: the command says what it kept, and where"}},
		signs: []sign{
			matches(strong, "missing", `^missing (?:blob|tree|commit) [0-9a-f]+`), says(strong, "broken link from"), says(strong, "invalid sha1 pointer"), matches(strong, "corrupt", `(?:loose object .* is corrupt|object .* is corrupt|corrupt (?:loose|patch|object|file)|packfile .*corrupt|index file corrupt|corrupted)`), says(strong, "object file is empty"), matches(strong, "is empty", `object file \S+ is empty`), matches(strong, "unable to read", `unable to read (?:tree|sha1 file|[0-9a-f]{7,})`), matches(strong, "could not read ", `Could not read [0-9a-f]{40}`), matches(strong, "bad object", `bad object (\S+)`), says(strong, "inflate: data stream error"), matches(strong, "bad", `bad (?:signature|index file sha1|tree object|packed)`), says(strong, "hash mismatch"), says(strong, "sha1 mismatch"), matches(strong, "failed to read object", `failed to read object`), says(strong, "fatal: bad config"), matches(strong, "index file", `index file (?:smaller than expected|corrupt)`), says(strong, "garbage at end of loose object"), matches(strong, "unable to unpack", `unable to unpack \S+ (?:header|contents)`), matches(strong, "broken ref", `ignoring broken ref (\S+)`),
		},
	},
}
