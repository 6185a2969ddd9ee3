package main

// mcpCommand serves one client over standard input and output until the client
// ends.
type mcpCommand struct{}

// A call collects the output of a command that runs as a tool.
type call struct {
	data any
	text string
	tell func(string) // sends a line about progress
}
