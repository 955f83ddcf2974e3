package command

// Match reports whether s matches a glob pattern, by Redis's rules (KEYS,
// SCAN MATCH, PSUBSCRIBE, ACL): "*" any bytes, "?" one byte, "[abc]", "[a-z]",
// "[^…]" one byte of a class, and "\" takes the next byte as it is. A class
// that is not closed ends with the pattern; a range may be written backwards.
// Redis's oddity is kept that no pattern of stars matches the empty string
// (KEYS * is a case of its own there). Ranges compare bytes as unsigned
// numbers, as Redis does on ARM; on x86 it takes those from 128 as negative.
//
// Redis tries every "*" at every place. To go back to the last "*" alone finds
// the same: if what follows it is nowhere in the rest, it is no use for an
// earlier "*" to leave less of a rest. So the work is at most
// len(pattern)·len(s), and mostly near their sum.
func Match(pattern, s []byte) bool { return match(pattern, s, false) }

// MatchFold is Match with the letters A–Z and a–z alike (CONFIG GET, COMMAND
// LIST), except after a backslash within a class.
func MatchFold(pattern, s []byte) bool { return match(pattern, s, true) }

func match(pattern, s []byte, fold bool) bool {
	if len(s) == 0 {
		return len(pattern) == 0
	}
	p, i := 0, 0
	afterStar, retry := -1, 0 // where to go on when what follows a "*" does not match
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			afterStar, retry = p, i
			continue
		}
		next := -1
		if p < len(pattern) {
			next = matchOne(pattern, p, s[i], fold)
		}
		switch {
		case next >= 0:
			p, i = next, i+1
		case afterStar < 0:
			return false
		case afterStar == len(pattern):
			return true
		default:
			retry++
			p, i = afterStar, retry
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// matchOne matches c with the element at pattern[p:], which is not a star. It
// returns where the next element begins, or -1 if c does not match.
func matchOne(pattern []byte, p int, c byte, fold bool) (next int) {
	switch pattern[p] {
	case '?':
		return p + 1
	case '[':
		next, ok := matchClass(pattern, p+1, c, fold)
		if !ok {
			return -1
		}
		return next
	case '\\':
		if p+1 < len(pattern) {
			p++
		}
	}
	if pattern[p] == c || fold && lower(pattern[p]) == lower(c) {
		return p + 1
	}
	return -1
}

// matchClass matches c with the class whose "[" stands before pattern[p].
func matchClass(pattern []byte, p int, c byte, fold bool) (next int, ok bool) {
	not := p < len(pattern) && pattern[p] == '^'
	if not {
		p++
	}
	found := false
	for ; p < len(pattern) && pattern[p] != ']'; p++ {
		switch {
		case pattern[p] == '\\' && p+1 < len(pattern):
			p++
			found = found || pattern[p] == c
		case p+2 < len(pattern) && pattern[p+1] == '-':
			found = found || inRange(pattern[p], pattern[p+2], c, fold)
			p += 2
		default:
			found = found || pattern[p] == c || fold && lower(pattern[p]) == lower(c)
		}
	}
	return min(p+1, len(pattern)), found != not
}

// inRange tells whether c lies between the ends, put in order before their
// case is folded, as Redis does it.
func inRange(low, high, c byte, fold bool) bool {
	if low > high {
		low, high = high, low
	}
	if fold {
		low, high, c = lower(low), lower(high), lower(c)
	}
	return low <= c && c <= high
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
