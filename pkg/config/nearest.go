package config

import "mayi/internal/nearest"

// didYouMean words a hint.
func didYouMean(word string, known []string) string {
	if n := nearest.Word(word, known); n != "" {
		return "did you mean " + quote(n) + "?"
	}
	return ""
}

func quote(s string) string { return `"` + s + `"` }
