package approval

import (
	"strings"
	"unicode"
)

// invisible reports whether r takes no ink although it is a letter, a mark or
// a symbol by category: fillers, joiners, variation selectors, blank patterns.
func invisible(r rune) bool {
	switch r {
	case '\u2800', '\U0001D159': // the blank Braille pattern, the null note head
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Variation_Selector, r)
}

// overlay reports whether r is a mark that is drawn through the letter.
func overlay(r rune) bool {
	return r >= 0x0334 && r <= 0x0338 || r >= 0x20D2 && r <= 0x20E5 || r == 0x0489
}

// passesForASCII reports whether r is drawn like an ASCII character that means
// something in a command or a path, or is a styled copy of one.
func passesForASCII(r rune) bool {
	switch {
	case r >= 0xFE50 && r <= 0xFE6B, // small forms
		r >= 0xFF01 && r <= 0xFF5E,   // full-width forms
		r >= 0x1D400 && r <= 0x1D7FF, // mathematical letters and digits
		r >= 0x1FBF0 && r <= 0x1FBF9, // segmented digits
		r >= 0x2160 && r <= 0x217F,   // Roman numerals
		r >= 0x2010 && r <= 0x2015,   // dashes
		r >= 0x2018 && r <= 0x201F:   // quotation marks
		return true
	}
	return strings.ContainsRune(punctuation, r)
}

// punctuation holds single characters that pass for ASCII punctuation.
const punctuation = "" +
	"\u2212\u02D7\u06D4\u2043\u207B" + // minus, low lines at mid height
	"\u2044\u2215\u29F8\u2571\u27CB" + // slashes
	"\u2216\u29F5\u29F9\u27CD\u2572" + // backslashes
	"\u2024\u2025\u0701\u0702\uA4F8" + // dots
	"\u037E\u0387\u061B\u2236\u02D0\uA789\u0589\u05C3" + // semicolons, colons
	"\u2217\u204E\u066D" + // asterisks
	"\u2223\u01C0\u2758\u05C0\u2502" + // vertical lines
	"\u2032\u2033\u2035\u02B9\u02BA\u02BB\u02BC\u02BD\u02C8\u02CA\u02CB\u00B4\u05F3\u05F4\u055A\u1FBF\u1FEF" + // quotes
	"\u02C2\u02C3\u2039\u203A\u276E\u276F\u2329\u232A" + // angles
	"\u02DC\u223C\u2053\u01C3\u203C\u2047\u2048\u2049\uA60E" + // tilde, exclamation
	"\u02C6\u02F7\uA778\u2768\u2769\u2774\u2775\u3014\u3015" // caret, ampersand, brackets

// twin reports whether r is a letter of another script, or a rare Latin one,
// that is drawn like an ASCII letter or digit.
func twin(r rune) bool {
	return r > unicode.MaxASCII && strings.ContainsRune(twins, r)
}

// twins are letters that are drawn like ASCII ones.
const twins = "" +
	"аекорсухѕіјһԁԛԝѵҮүғЬАВЕКМНОРСТУХЅІЈҺԌԚԜѴӀӏ" + // Cyrillic
	"αγικνορυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜ" + // Greek
	"ացհոսօքզյոՀՍՕՏԼ" + // Armenian
	"ıſɑɡɩɪʏɴʀʟʙʜɢƖƽȷꞁꞵꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓠꓡꓢꓣꓤꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ" + // Latin, Lisu
	"ᎪᎫᎬᎳᎷᎻᎡᎢᎠᏃᏌᏟᏢᏦᏧᏒᏔᏙᏚᏞᏴ" + // Cherokee
	"\u212Aℎℓℴℯℊℂℍℕℙℚℝℤ℮" // letter-like symbols
