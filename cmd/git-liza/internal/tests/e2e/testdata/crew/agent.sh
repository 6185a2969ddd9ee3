# Plays the agents while a person looks on. The test lets them go on by files in $crew.
set -e
cat >/dev/null
crew=$(dirname "$0")

# await FILE [FILE]: waits until the test has made one of them.
await() {
	n=0
	while ! test -e "$crew/$1" && ! test -e "$crew/${2-$1}"; do
		n=$((n + 1))
		test $n -lt 4000
		sleep 0.05
	done
}

begin() {
	summary=$1
	git liza intent "$LIZA_TASK" --summary "$1" --validation 'Read it'
	mkdir -p docs lib
}

finish() {
	git add -A
	git commit -q -m "$summary"
	git liza submit "$LIZA_TASK"
}

case $LIZA_ROLE in
coder)
	case $LIZA_TASK in
	scale)
		begin 'Convert Celsius to Fahrenheit'
		echo 'echo "$1 * 9 / 5 + 32" | bc -l' >lib/scale.sh
		;;
	usage)
		begin 'Say how it is used'
		echo 'Type `sh lib/scale.sh 20`.' >docs/usage.md
		if test "$(git log --oneline integration..HEAD | wc -l)" -gt 0; then
			echo 'A number without a unit is Celsius.' >>docs/usage.md
		fi
		;;
	limits)
		if ! git liza record list questions --all --json | grep -q '"answer":"'; then
			git liza block limits --question 'Is 0 no limit at all, or is it no time at all?' --to human
			exit
		fi
		begin 'Say which limits there are'
		echo 'A limit of 0 lets nothing through.' >docs/limits.md
		;;
	parser)
		begin 'Read a number with its unit'
		echo 'I read the grammar of numbers.'
		await target.json go-parser
		if test -e "$crew/target.json"; then
			node "$crew/intrude.mjs" "$crew" >/dev/null
		fi
		await go-parser
		echo 'Now the unit.'
		echo 'echo ${1%C}' >lib/parser.sh
		;;
	table)
		begin 'Write the table'
		echo 'I measure the columns of docs/table.md.'
		await go-table
		echo '20C  68F' >docs/table.md
		;;
	report)
		begin 'Report a day'
		echo 'The morning had 12C, which is 53.6F.' >docs/report.md
		;;
	esac
	finish
	;;
*)
	if test "$LIZA_TASK" = usage && test "$(git log --oneline integration..HEAD | wc -l)" = 1; then
		git liza reject usage --commit "$LIZA_REVIEW_COMMIT" --reason '- [blocker] docs/usage.md:1 — the unit of a bare number is not said'
	else
		git liza approve "$LIZA_TASK" --commit "$LIZA_REVIEW_COMMIT" --message 'It does what it says'
	fi
	;;
esac
