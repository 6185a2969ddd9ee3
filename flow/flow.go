// Package flow is the pure core of git liza: it decides which change of the
// blackboard is legal and what the blackboard is afterwards.
//
// A [board.Board] is the content of refs/liza/state, a [Move] is one change of it.
// [Apply] turns the two, and the [Facts] that git states about the
// commits a move names, into the next board or a [Refusal]. The command line,
// a server's hook and a replay of the whole history call the same function, so
// that a command and a hostile push meet the same rules. The rules stand in
// one table, in rules.go.
//
// The package imports the standard library only and uses no clock, no
// randomness and no I/O: documents come from a [board.Source], times from moves.
package flow
