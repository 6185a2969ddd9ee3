#!/bin/sh
# Who the person is comes from conditional includes of all kinds. Moves are made by whom git sees.
. "$(dirname "$0")/lib.sh"
printf '[user]\n\tname = Cond Example\n\temail = cond@example.com\n' >"$HOME/included"
n=0
for condition in "gitdir:$HOME/Work/" 'gitdir:~/Work/' "gitdir/i:$HOME/work/" 'gitdir:**/Work/**' onbranch:main 'onbranch:ma*' 'hasconfig:remote.*.url:https://example.com/**'; do
	git config --global --remove-section user 2>/dev/null
	git config --global --get-regexp '^includeif' | sed 's/ .*//' | while read -r key; do git config --global --unset "$key"; done
	git config --global "includeIf.$condition.path" "$HOME/included"
	n=$((n + 1))
	must git init -q "$HOME/Work/r$n"
	cd "$HOME/Work/r$n" && git remote add origin https://example.com/x.git
	mkdir specs && echo '# V' >specs/vision.md && git add -A && git -c user.name=x -c user.email=x@example.com commit -q -m start
	[ "$(git config user.name)" = 'Cond Example' ] || void "git does not see $condition"
	git liza init G --spec specs/vision.md >"$T/init.out" 2>&1 || missed="${missed:-} [$condition]"
	[ "$(git log -1 --format=%an refs/liza/state 2>/dev/null)" = cond-example ] || missed="${missed:-} [$condition]"
done
task t1
claimed t1
[ -z "${missed:-}" ] || fail "not as git sees it:$missed"
pass 'all are seen'
