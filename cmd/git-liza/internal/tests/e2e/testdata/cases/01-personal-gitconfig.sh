#!/bin/sh
# A person's git is set up in eighty ways that change what git prints: no command reads less well for it.
. "$(dirname "$0")/lib.sh"
cat >>"$HOME/.gitconfig" <<'C'
[user]
	useConfigOnly = true
[alias]
	commit = commit -s
	status = status -s
[color]
	ui = always
	status = always
	branch = always
	diff = always
[column]
	ui = always
[status]
	short = true
	branch = true
	showUntrackedFiles = no
	relativePaths = false
	submoduleSummary = true
[log]
	showSignature = true
	decorate = full
	date = iso
	follow = true
	mailmap = false
[format]
	pretty = fuller
[diff]
	noprefix = true
	mnemonicPrefix = true
	renames = copies
	algorithm = histogram
	colorMoved = zebra
	submodule = log
	orderFile = /dev/null
	ignoreSubmodules = all
	external = false
	wsErrorHighlight = all
	context = 0
	interHunkContext = 9
	relative = true
[diff "md"]
	textconv = false
	command = false
[core]
	quotePath = false
	abbrev = 40
	commentChar = ";"
	whitespace = trailing-space,space-before-tab
	pager = false
	editor = false
	untrackedCache = true
	preloadIndex = false
	logAllRefUpdates = always
	checkStat = minimal
	fsyncMethod = batch
	excludesFile = ~/ignored
	attributesFile = ~/attributes
[commit]
	verbose = true
	cleanup = scissors
	status = true
[merge]
	ff = only
	renames = false
	conflictStyle = diff3
	renormalize = true
	log = true
	stat = true
	branchdesc = true
	verbosity = 0
	autoStash = true
[rebase]
	autoStash = true
	autoSquash = true
	updateRefs = true
[rerere]
	enabled = true
	autoUpdate = true
[branch]
	autoSetupRebase = always
	autoSetupMerge = always
	sort = -committerdate
[tag]
	sort = -version:refname
	gpgSign = false
[pull]
	rebase = true
[push]
	default = nothing
	followTags = true
[fetch]
	prune = true
	pruneTags = true
	output = compact
	writeCommitGraph = true
	showForcedUpdates = false
[index]
	version = 4
	skipHash = true
	threads = 1
	sparse = true
[feature]
	manyFiles = true
	experimental = true
[gc]
	auto = 1
	autoDetach = false
[maintenance]
	auto = true
[grep]
	lineNumber = true
	column = true
	fullName = true
[blame]
	showEmail = true
[help]
	autoCorrect = 1
[submodule]
	recurse = true
[worktree]
	guessRemote = true
[checkout]
	guess = false
	workers = 0
[i18n]
	logOutputEncoding = ISO-8859-1
	commitEncoding = UTF-8
[transfer]
	fsckObjects = true
[protocol]
	version = 0
[clean]
	requireForce = false
[uploadpack]
	allowAnySHA1InWant = true
C
printf '%s\n' '*.log' '.worktrees' '.idea/' >"$HOME/ignored"
echo '*.md diff=md' >"$HOME/attributes"
repo "$R"
board
task t1
task t2
work <<'W'
mkdir -p "d/$LIZA_TASK"
printf 'a\nb  \nc\n' >"d/$LIZA_TASK/é x.txt"
git status --porcelain >/dev/null
W
rush
worked t1 t2
is MERGED t1 t2 || fail "$(states t1 t2)"
for look in status list 'show t1' 'show t1 --patch' log doctor 'fsck --full' metrics inbox 'worktree list'; do
	git liza $look >"$T/look.out" 2>&1 || fail "git liza $look ends with $?"
done
git liza show t1 --patch | grep -q '^+a' || fail 'the patch is not shown'
pass 'two tasks merged, and all is shown'
