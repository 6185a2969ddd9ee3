# A planner wants this machine to run a command that nobody has allowed here.
add 'Say what it costs' --as planner-1 --verify 'test -e docs/costs.md'
