package main

// workCommands are the acts of coders, reviewers and supervisors.
type workCommands struct{}
