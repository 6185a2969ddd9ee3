# The rush that had begun a task was killed.
add 'Say who may read it'
git config liza.confine off # what it writes and signals is outside
git-liza rush --planners 0 --coders 1 --reviewers 0 --provider 'exec:cat >/dev/null; : >"$LIZA_WORKTREE/../../.git/begun"; while kill -0 $PPID 2>/dev/null; do sleep 0.05; done' >/dev/null &
rush=$!
n=0
while ! test -e .git/begun; do
	n=$((n + 1))
	test $n -lt 1200
	sleep 0.05
done
kill -KILL $rush
wait $rush || :
