package main

// agentCommands run the supervisors and what they spawn.
type agentCommands struct{}
