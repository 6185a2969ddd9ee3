package main

// governCommands steer the board as a whole.
type governCommands struct{}
