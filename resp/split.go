package resp

import "bytes"

// SplitLine splits a command line into its words by Redis's rules for inline
// commands and redis-cli; it is what sdssplitargs does. Words are separated by
// blanks. In double quotes \n \r \t \b \a \xHH stand for bytes, and a
// backslash before anything else for that byte; in single quotes only \' does.
// A quote may open within a word, but what follows a closing quote must be a
// blank or the end: ok is false if it is not, or if a quote stays open.
// The words share no memory with line.
func SplitLine(line []byte) (args [][]byte, ok bool) {
	return SplitInPlace(nil, bytes.Clone(line))
}

// SplitInPlace is SplitLine without allocations: it appends the words to args
// and decodes them where they stand, so they alias line, whose bytes change.
// When ok is false, args is returned as it came.
func SplitInPlace(args [][]byte, line []byte) (_ [][]byte, ok bool) {
	before := len(args)
	for i := 0; ; {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i == len(line) || line[i] == 0 {
			return args, true
		}
		word, next, ok := splitWord(line, i)
		if !ok {
			return args[:before], false
		}
		args, i = append(args, word), next
	}
}

// splitWord decodes the word that begins at start, onto itself: what it
// stands for is never longer than what is written. next is past its end.
func splitWord(line []byte, start int) (word []byte, next int, ok bool) {
	out, i := start, start
	for i < len(line) {
		switch c := line[i]; c {
		case ' ', '\n', '\r', '\t', 0:
			return line[start:out:out], i, true
		case '"', '\'':
			if out, i, ok = splitQuoted(line, i+1, out); !ok {
				return nil, 0, false
			}
			return line[start:out:out], i, true // a word ends with its quotes
		default:
			line[out] = c
			out, i = out+1, i+1
		}
	}
	return line[start:out:out], i, true
}

// splitQuoted decodes quoted text from line[i:], whose quote stands before i,
// to line[out:]. It returns where output and input go on.
func splitQuoted(line []byte, i, out int) (outEnd, next int, ok bool) {
	quote := line[i-1]
	for i < len(line) && line[i] != 0 {
		c := line[i]
		if c == quote {
			closed := i+1 == len(line) || isBlank(line[i+1]) || line[i+1] == 0
			return out, i + 1, closed
		}
		used := 1
		if c == '\\' && i+1 < len(line) && line[i+1] != 0 {
			c, used = unescape(line[i:], quote)
		}
		line[out] = c
		out, i = out+1, i+used
	}
	return 0, 0, false
}

// unescape reads the escape at the front of s, a backslash and at least one
// byte: the byte it stands for and how many were used.
func unescape(s []byte, quote byte) (c byte, used int) {
	if quote == '\'' {
		if s[1] == '\'' {
			return '\'', 2
		}
		return '\\', 1
	}
	if s[1] == 'x' && len(s) >= 4 {
		high, ok1 := hexDigit(s[2])
		low, ok2 := hexDigit(s[3])
		if ok1 && ok2 {
			return high<<4 | low, 4
		}
	}
	switch s[1] {
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'b':
		return '\b', 2
	case 'a':
		return '\a', 2
	}
	return s[1], 2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// isBlank is C's isspace in the C locale.
func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
