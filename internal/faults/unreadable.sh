# Somebody wrote a document of the board by hand, and it is no document any more.
add 'Say what it needs'
git liza note 'The servers are new'
export GIT_INDEX_FILE="$PWD/.git/forged"
git read-tree refs/liza/state
blob=$(git show refs/liza/state:tasks/01/task-1.yaml | sed 's/^title: .*/title: [/' | git hash-object -w --stdin)
git update-index --cacheinfo "100644,$blob,tasks/01/task-1.yaml"
commit=$(git cat-file commit refs/liza/state | sed -n '/^$/,$p' | sed 1d | git commit-tree "$(git write-tree)" -p refs/liza/state)
git -c core.hooksPath=/dev/null update-ref refs/liza/state "$commit"
