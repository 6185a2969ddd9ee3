package main

// planCommands say what is to be done.
type planCommands struct{}
