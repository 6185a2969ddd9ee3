# Plays every agent of doc/transcript.md, in place of a language model: what it is told
# comes on standard input, what it does are commands.
set -e
cat >/dev/null
story=$(dirname "$0")

# begin SUMMARY: declares what is to be done.
begin() {
	summary=$1
	git liza intent "$LIZA_TASK" --summary "$1" --validation 'sh tests/run.sh'
	mkdir -p lib docs
}

# finish: commits what the worktree holds, and submits it.
finish() {
	git add -A
	git diff --cached --quiet || git commit -q -m "$summary"
	git liza submit "$LIZA_TASK"
}

case $LIZA_ROLE in
planner)
	found=$(git liza record list discoveries --json | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
	if test -n "$found"; then
		git liza task add --record "$found" back --title 'Take the conversion back' --done-when 'lib/scale.sh is gone' --spec specs/vision.md \
			--scope 'nothing but the revert' --kind docs --reverts scale
		git liza task add report --title 'Report a day in both scales' --done-when 'a day is shown in both scales' --spec specs/vision.md \
			--scope 'docs/report.md' --kind docs --depends-on scale,back
	elif git liza list --all --json | grep -q '"tasks":\[\]'; then
		git liza task add --from "$story/plan.yaml"
	else
		git liza note 'All that the vision asks for is planned' --for all
	fi
	;;
coder)
	case $LIZA_TASK in
	scale)
		begin 'Convert Celsius to Fahrenheit'
		echo 'echo $(($1 * 9 / 5 + 32))' >lib/scale.sh
		;;
	read)
		if ! git liza record list questions --all --json | grep -q '"answer":"'; then
			git liza block read --question 'A number comes without a unit. Is it refused, or is it Celsius?' --to human
			exit
		fi
		begin 'Read a temperature'
		echo 'echo ${1%C}' >lib/read.sh
		;;
	list)
		begin 'List the scales'
		if test -e docs/scales.md; then
			echo 'Celsius and Fahrenheit. There is nothing below absolute zero.' >docs/scales.md
		else
			echo 'Celsius and Fahrenheit.' >docs/scales.md
		fi
		;;
	use)
		begin 'Say how it is used'
		echo 'Type `sh lib/read.sh 20C`. A number without a unit is Celsius.' >docs/use.md
		;;
	example)
		begin 'Show an example'
		echo 'Body heat is 37C.' >docs/example.md
		git liza record discovery 'lib/scale.sh makes 98 of 37: the fraction is lost' --severity high --urgency immediate --during example
		;;
	back)
		begin 'Take the conversion back'
		git revert --no-edit -m 1 "$(git log -n 1 --format=%H --grep '^Merge scale')"
		;;
	report)
		begin 'Report a day'
		echo '20C is 68.0F.' >docs/report.md
		;;
	*) # does the work of scale again
		begin 'Convert with the fraction'
		echo 'echo "$1 * 9 / 5 + 32" | bc -l' >lib/scale.sh
		;;
	esac
	finish
	;;
*)
	if test "$LIZA_TASK" = list && ! grep -q zero docs/scales.md; then
		git liza reject list --commit "$LIZA_REVIEW_COMMIT" --reason '- [blocker] docs/scales.md:1 — the lowest temperature is missing'
	else
		git liza approve "$LIZA_TASK" --commit "$LIZA_REVIEW_COMMIT"
	fi
	;;
esac
