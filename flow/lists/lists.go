// Package lists makes lists, sets and sums of lists. A list without elements is nil, and none
// shares memory with the one that it was made of, apart from [Add].
package lists

import "slices"

// Of are what image gives for each element of a list, in its order.
func Of[T, U any](list []T, image func(T) U) []U {
	images := slices.Grow([]U(nil), len(list))
	for _, one := range list {
		images = append(images, image(one))
	}
	return images
}

// Where are the elements of a list that fit, in its order.
func Where[T any](list []T, fits func(T) bool) []T {
	var fitting []T
	for _, one := range list {
		if fits(one) {
			fitting = append(fitting, one)
		}
	}
	return fitting
}

// Find is the place of the first element that fits, nil if none does.
func Find[T any](list []T, fits func(T) bool) *T {
	if i := slices.IndexFunc(list, fits); i >= 0 {
		return &list[i]
	}
	return nil
}

// Add appends those of more that a list lacks, each once.
func Add[T comparable](list []T, more ...T) []T {
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// Sum adds up what of gives for each element of a list.
func Sum[T any](list []T, of func(T) int) (sum int) {
	for _, one := range list {
		sum += of(one)
	}
	return sum
}

// Set holds the key of each element of a list.
func Set[T any, K comparable](list []T, key func(T) K) map[K]bool {
	set := make(map[K]bool, len(list))
	for _, one := range list {
		set[key(one)] = true
	}
	return set
}
