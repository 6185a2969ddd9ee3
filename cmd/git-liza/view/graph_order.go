package view

import (
	"math/bits"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// A graphIndex has the edges of a graph by the places of its nodes.
type graphIndex struct {
	nodes []GraphNode
	place map[flow.TaskID]int
}

func indexOf(g *Graph) graphIndex {
	place := make(map[flow.TaskID]int, len(g.Nodes))
	for i := range g.Nodes {
		place[g.Nodes[i].ID] = i
	}
	return graphIndex{g.Nodes, place}
}

// places returns where the tasks stand that are nodes.
func (x graphIndex) places(ids []flow.TaskID) []int {
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

// findLevels sets how deep each node stands.
func (x graphIndex) findLevels(edges []GraphEdge) {
	before := make([][]int, len(x.nodes))
	for _, e := range edges {
		to := x.place[e.To]
		before[to] = append(before[to], x.place[e.From])
	}
	for _, i := range x.sorted(func(i int) []int { return before[i] }) {
		level := 1
		for _, j := range before[i] {
			level = max(level, x.nodes[j].Level+1)
		}
		x.nodes[i].Level = level
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

// longest returns the chain of open nodes whose lengths have the greatest sum, in the order
// of work. Of equal chains it is that whose tasks come first.
func (x graphIndex) longest(length func(int) time.Duration) (path []int, sum time.Duration) {
	total, last := make([]time.Duration, len(x.nodes)), make([]int, len(x.nodes))
	end := -1
	for _, i := range x.sorted(x.waits) {
		last[i] = -1
		if x.nodes[i].Status.Final() {
			continue
		}
		for _, j := range x.waits(i) {
			if total[j] > 0 && (last[i] < 0 || total[j] > total[last[i]]) {
				last[i] = j
			}
		}
		if last[i] >= 0 {
			total[i] = total[last[i]]
		}
		if total[i] += length(i); total[i] > 0 && (end < 0 || total[i] > total[end] || total[i] == total[end] && i < end) {
			end = i
		}
	}
	for i := end; i >= 0; i = last[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	if end >= 0 {
		sum = total[end]
	}
	return path, sum
}
