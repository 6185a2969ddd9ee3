#!/bin/sh
# Edits outside of the worktree, asked for by the Agent Client Protocol in four ways. None is allowed.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
once
task t1
cat >"$T/acp.sh" <<'A'
say() { printf '{"jsonrpc":"2.0",%s}\n' "$1"; }
ask() { # NAME CALL
	say '"id":"'$1'","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"'$1'","title":"e",'"$2"'},"options":[{"optionId":"allow","name":"A","kind":"allow_once"},{"optionId":"reject","name":"R","kind":"reject_once"}]}'
	while read -r line; do
		case $line in *'"method"'*) ;; *"\"$1\""*) break ;; esac
	done
	case $line in *'"optionId":"allow"'*) echo "$1 allowed" ;; *) echo "$1 refused" ;; esac >>"$T/answers"
}
at=$LIZA_WORKTREE
while read -r line; do
	id=$(printf '%s\n' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
	case $line in
	*'"initialize"'*) say '"id":'$id',"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}' ;;
	*'"session/new"'*) say '"id":'$id',"result":{"sessionId":"s"}' ;;
	*'"session/prompt"'*)
		ask inside '"kind":"edit","locations":[{"path":"'$at'/f"}]'
		ask plain '"kind":"edit","locations":[{"path":"/etc/passwd"}]'
		ask after-100 '"kind":"edit","locations":['"$(seq -f "{\"path\":\"$at/f%g\"}," 100 | tr -d '\n')"'{"path":"/etc/passwd"}]'
		ask argument '"kind":"edit","locations":[{"path":"'$at'/f"}],"rawInput":{"file_path":"/etc/passwd"}'
		ask other-name '"kind":"delete","rawInput":{"path":"'$at'/f","target":"/etc/passwd"}'
		: >"$T/ran-t1"
		say '"id":'$id',"result":{"stopReason":"end_turn"}'
		;;
	*'"id"'*) [ -n "$id" ] && say '"id":'$id',"error":{"code":-32601,"message":"no"}' ;;
	esac
done
A
git config --add liza.provider.acp.env T
git config --add liza.provider.acp.env R
provider="acp:sh $T/acp.sh" reviewers=0 bound=60 rush
cat "$T/answers"
began t1
grep -qx 'inside allowed' "$T/answers" && grep -q '^other-name' "$T/answers" || void 'not all was asked'
grep -qx 'plain refused' "$T/answers" || fail 'an edit of /etc/passwd is allowed'
grep -q 'allowed' "$T/answers" && [ "$(grep -c allowed "$T/answers")" -gt 1 ] && fail 'edits outside of the worktree are allowed: as the 101st path, beside a harmless place, in an argument of another name'
pass 'all are refused'
