// Package diagnosis says why a program failed, from what it printed. It has no input and
// no output, and it asks nobody: without evidence it has no answer.
package diagnosis
