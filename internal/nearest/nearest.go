// Package nearest finds the known word that a misspelt one was meant to be.
package nearest

import "strings"

// Word returns the known word that is closest to a misspelt one, "" where
// none is close enough to be meant.
func Word(word string, known []string) string {
	best, least := "", 1+max(1, min(3, len(word)/3))
	low := strings.ToLower(word)
	for _, k := range known {
		if d := distance(low, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts the insertions, deletions, exchanges and swaps of neighbours
// that lead from a to b.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 3 || d < -3 {
		return 4
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
