package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// exampleLines has a line for each command: its words, and one or two examples, apart by |.
// TestExamples runs them.
//
//go:embed examples.txt
var exampleLines string

// examplesOf are the examples of a command, as they are typed.
func examplesOf(command string) []string {
	for line := range strings.Lines(exampleLines) {
		words, examples, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		if words == command {
			return strings.Split(examples, "|")
		}
	}
	return nil
}

// helpTexts have what the page of a command says below its first lines: its words are the
// name of the file. A method Help says it where two commands share a file.
//
//go:embed help
var helpTexts embed.FS

// helpText is "" for a command that has no file.
func helpText(command string) string {
	text, _ := helpTexts.ReadFile("help/" + strings.ReplaceAll(command, " ", "_") + ".txt")
	return strings.TrimSuffix(string(text), "\n")
}

// commandWords are the words of a command after the program's name.
func commandWords(node *kong.Node) string {
	words := node.Name
	for above := node.Parent; above != nil && above.Parent != nil; above = above.Parent {
		words = above.Name + " " + words
	}
	return words
}

// exampleText ends the page of a command.
func exampleText(node *kong.Node) string {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	var text strings.Builder
	list := examplesOf(commandWords(node))
	if list == nil { // a noun, which shows its verbs
		for _, verb := range node.Children[:min(len(node.Children), 2)] {
			list = append(list, examplesOf(commandWords(verb))...)
		}
	}
	for i, example := range list {
		if i == 0 {
			text.WriteString("\nExamples:\n")
		}
		fmt.Fprintf(&text, "  %s\n", example)
	}
	return text.String()
}
