#!/bin/sh
# Usage: GIT_DIR=DIR floor.sh REF SUBJECT SHARD TASK FILE SHARD AGENT FILE
# A claim as a script of plain git would make it: replaces tasks/SHARD/TASK and
# agents/SHARD/AGENT by the files in one commit on REF, if nobody else has moved
# it. Seven processes of git: both blobs at once, all folders at once, the trees
# of one level at once. It judges nothing, and reads the ref itself to spare one.
set -eu
ref=$1 subject=$2
tasks=tasks/$3 task=$4 agents=agents/$6 agent=$7
nl='
'
tab='	'
read -r tip <"$GIT_DIR/$ref"
blobs=$(git hash-object -w -- "$5" "$8")
root= level1t= level1a= level2t= level2a=
while IFS=$tab read -r head path; do
	case $path in
	"$tasks/$task" | "$agents/$agent" | "$tasks" | "$agents" | tasks | agents) ;;
	"$tasks"/*) level2t="$level2t$head$tab${path##*/}$nl" ;;
	"$agents"/*) level2a="$level2a$head$tab${path##*/}$nl" ;;
	tasks/*) level1t="$level1t$head$tab${path##*/}$nl" ;;
	agents/*) level1a="$level1a$head$tab${path##*/}$nl" ;;
	*) root="$root$head$tab$path$nl" ;;
	esac
done <<END
$(git ls-tree -t "$tip" . tasks/ "$tasks/" agents/ "$agents/")
END
below=$(git mktree --batch <<END
100644 blob ${blobs%"$nl"*}$tab$task
$level2t
100644 blob ${blobs#*"$nl"}$tab$agent
$level2a
END
)
above=$(git mktree --batch <<END
040000 tree ${below%"$nl"*}$tab${tasks#tasks/}
$level1t
040000 tree ${below#*"$nl"}$tab${agents#agents/}
$level1a
END
)
tree=$(git mktree <<END
${root}040000 tree ${above%"$nl"*}${tab}tasks
040000 tree ${above#*"$nl"}${tab}agents
END
)
commit=$(git commit-tree "$tree" -p "$tip" -m "$subject")
git update-ref -m "$subject" "$ref" "$commit" "$tip"
