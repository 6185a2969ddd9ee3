package metrics

import (
	"cmp"
	"slices"
)

// A Spread is how a number is spread over Count samples. Without samples it is zero.
type Spread struct {
	Count       int
	Median, P95 int64 // by nearest rank: numbers of the samples
}

// samples are numbers in no order.
type samples []int64

func (s samples) spread() Spread {
	if len(s) == 0 {
		return Spread{}
	}
	slices.Sort(s)
	return Spread{len(s), rank(s, 50), rank(s, 95)}
}

// rank is the smallest number of a sorted list that at least percent of it do not
// exceed.
func rank(sorted samples, percent int) int64 {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// A span is a stretch of time, in seconds.
type span struct{ begun, end int64 }

// join is the union of spans, in order of time.
func join(list []span) []span {
	slices.SortFunc(list, func(x, y span) int { return cmp.Compare(x.begun, y.begun) })
	var joined []span
	for _, s := range list {
		if s.end <= s.begun {
			continue
		}
		if last := len(joined) - 1; last >= 0 && joined[last].end >= s.begun {
			joined[last].end = max(joined[last].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined
}

func length(list []span) (sum int64) {
	for _, s := range list {
		sum += s.end - s.begun
	}
	return sum
}
