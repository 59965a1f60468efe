package knowledge

// reader describes a program whose arguments are a language of their own. It
// finds the words already sorted into options and operands.
type reader func(*call)

// readerFor is the reader that a table names, nil for an unknown name.
func readerFor(name string) reader {
	switch name {
	case "link":
		return readLink
	case "copy":
		return readCopy
	case "env":
		return readEnv
	case "test":
		return readCondition
	}
	return nil
}
