#!/bin/sh
# Names of people in every script, and with what has a meaning elsewhere. No two people are one actor.
. "$(dirname "$0")/lib.sh"
n=0
for name in 李雷 'Ünsal Çelik' Алёна 'O"Neil, Ann (x)' 'Ann  [bot]' 'Ann <a>' ann; do
	n=$((n + 1))
	git config --global user.name "$name"
	git config --global user.email "person$n@example.com"
	repo "$R$n"
	git liza init G --spec specs/vision.md >"$T/init.out" 2>&1
	grep -q liza.actor "$T/init.out" && continue # told to choose one
	task t1
	actor=$(git log -1 --format=%an refs/liza/state)
	echo "$name is $actor"
	case " ${seen:-} unknown " in *" $actor "*) same=yes ;; esac
	seen="${seen:-} $actor"
	git liza fsck >"$T/fsck.out" 2>&1 || unsound="$name"
done
claimed t1
[ -z "${unsound:-}" ] || fail "a board of $unsound is unsound"
[ -z "${same:-}" ] || fail 'people whose names have no ASCII letter are one actor'
pass 'all can act, each in a name of their own'
