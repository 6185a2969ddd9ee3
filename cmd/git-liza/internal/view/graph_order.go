package view

import (
	"math/bits"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
)

// A graphIndex has the edges of a graph by the places of its nodes.
type graphIndex struct {
	nodes []GraphNode
	place map[board.TaskID]int
}

func indexOf(g *Graph) graphIndex {
	place := make(map[board.TaskID]int, len(g.Nodes))
	for i := range g.Nodes {
		place[g.Nodes[i].ID] = i
	}
	return graphIndex{g.Nodes, place}
}

// places returns where the tasks stand that are nodes.
func (x graphIndex) places(ids []board.TaskID) []int {
	list := make([]int, 0, len(ids))
	for _, id := range ids {
		if i, known := x.place[id]; known {
			list = append(list, i)
		}
	}
	return list
}

// sorted returns the places of nodes so that each comes after those that before names
// for it. A cycle, which the rules refuse, is broken at the first of its nodes.
func (x graphIndex) sorted(before func(int) []int) []int {
	after := make([][]int, len(x.nodes))
	missing := make([]int, len(x.nodes))
	for i := range x.nodes {
		for _, j := range before(i) {
			after[j] = append(after[j], i)
			missing[i]++
		}
	}
	order, done := make([]int, 0, len(x.nodes)), make([]bool, len(x.nodes))
	add := func(i int) { order, done[i] = append(order, i), true }
	for i := range x.nodes {
		if missing[i] == 0 {
			add(i)
		}
	}
	for looked, next := 0, 0; len(order) < len(x.nodes); {
		for ; looked < len(order); looked++ {
			for _, i := range after[order[looked]] {
				if missing[i]--; missing[i] == 0 && !done[i] {
					add(i)
				}
			}
		}
		for ; next < len(x.nodes) && done[next]; next++ { // the rest is a cycle, or needs one
		}
		if next < len(x.nodes) {
			add(next)
		}
	}
	return order
}

// findColumns sets how deep each node stands.
func (x graphIndex) findColumns(edges []GraphEdge) {
	before := make([][]int, len(x.nodes))
	for _, e := range edges {
		to := x.place[e.To]
		before[to] = append(before[to], x.place[e.From])
	}
	for _, i := range x.sorted(func(i int) []int { return before[i] }) {
		column := 1
		for _, j := range before[i] {
			column = max(column, x.nodes[j].column+1)
		}
		x.nodes[i].column = column
	}
}

// waits returns where the tasks stand that an open node waits for.
func (x graphIndex) waits(i int) []int { return x.places(x.nodes[i].Waits) }

// findSteps sets how many tasks are in the way of each open one, one after another.
func (x graphIndex) findSteps() {
	for _, i := range x.sorted(x.waits) {
		if x.nodes[i].Status.Final() {
			continue
		}
		step := 1
		for _, j := range x.waits(i) {
			step = max(step, x.nodes[j].Step+1, 2) // a final task is in the way for good
		}
		x.nodes[i].Step = step
	}
}

// countHolds counts the open tasks that wait for each node, directly or not. It passes
// through the graph once for 64 nodes.
func (x graphIndex) countHolds() {
	order := x.sorted(x.waits)
	waits := make([][]int, len(x.nodes))
	var held []int // nodes that anybody waits for
	for _, i := range order {
		waits[i] = x.waits(i)
		held = append(held, waits[i]...)
	}
	slices.Sort(held)
	held = slices.Compact(held)
	behind := make([]uint64, len(x.nodes))
	for some := range slices.Chunk(held, 64) {
		clear(behind)
		for bit, i := range some {
			behind[i] = 1 << bit
		}
		for _, i := range order {
			own := behind[i]
			for _, j := range waits[i] {
				behind[i] |= behind[j]
			}
			for word := behind[i] &^ own; word != 0; word &= word - 1 {
				x.nodes[some[bits.TrailingZeros64(word)]].Holds++
			}
		}
	}
}
