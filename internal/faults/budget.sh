# The goal's budget is spent, and there is work left.
add 'Say what is new'
git liza config budgets.goal.cost 25
git liza session add --provider claude --outcome planned --cost 26
