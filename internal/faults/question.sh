# A coder asks, and there is no planner.
add 'Limit what a request may send and how long it may take'
git liza claim task-1 --as coder-1
git liza block task-1 --as coder-1 --question 'Is a limit of zero no limit at all, or is it no time at all?'
