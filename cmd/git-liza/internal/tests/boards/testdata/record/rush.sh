# What supervisors make of a board: moves of registered sessions, on the real clock.
set -eu
git liza demo --dir "$PWD"
