package main

// lookCommands show the blackboard and change nothing.
type lookCommands struct{}
