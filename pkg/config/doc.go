// Package config reads the settings of all layers into one value.
//
// Layers, lowest first: the built-in defaults, the managed file, the user's
// file, the project's file, the session's override. Deny rules, ask rules,
// protected paths and deny patterns add up, and no layer takes another's away.
// For everything else the last layer that sets a key wins, with two exceptions:
// a ceiling in the managed file cannot be passed, and a project's file that the
// person has not trusted (see [Trust]) can only make things stricter.
//
// A settings file is JSON with comments and trailing commas. Whatever is wrong
// with one (it does not parse, a key is unknown or written twice, a rule cannot
// be read) is a [Problem] with file, line, column and a hint. While there is a
// problem, the policy is broken and nothing that would run is allowed; the
// settings stay usable for everything else.
//
// This package is the only one, besides the commands, that reads environment
// variables: [FromEnviron] finds the layers by them, [Environ] hands them on.
package config
