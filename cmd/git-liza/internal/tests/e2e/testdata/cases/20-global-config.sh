#!/bin/sh
# An agent writes into the user's own configuration: who they are, what is safe, which hooks run.
. "$(dirname "$0")/lib.sh"
repo "$R"
board
task t1
cp "$HOME/.gitconfig" "$T/before"
work <<'W'
git config --global user.name Robot
git config --global user.email robot@example.com
git config --global --add safe.directory '*'
git config --global core.hooksPath /dev/null
echo hi >a.txt
W
rush
worked t1
cmp -s "$T/before" "$HOME/.gitconfig" && pass 'the configuration is as it was'
grep -q 'user.name\|user.email' "$T/rush.out" && pass 'the rush says so'
fail 'no line says that a session changed who the user is'
