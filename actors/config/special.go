package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// The settings whose values have a form of their own.

// parseSave reads pairs of seconds and changes. No words, or one that is
// empty, is no save point; what a file repeats adds up.
func parseSave(_ *Setting, words []string, before string) (string, error) {
	invalid := errors.New("Invalid save parameters")
	if len(words) == 0 || len(words) == 1 && words[0] == "" {
		return "", nil
	}
	if len(words)%2 != 0 {
		return "", invalid
	}
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 || n == 0 && i%2 == 0 {
			return "", invalid
		}
	}
	return strings.TrimSpace(before + " " + strings.Join(words, " ")), nil
}

// formatSave writes a line a save point.
func formatSave(value string) []string {
	words := strings.Fields(value)
	if len(words) == 0 {
		return []string{line("save", []string{""})}
	}
	var lines []string
	for i := 0; i+1 < len(words); i += 2 {
		lines = append(lines, line("save", words[i:i+2]))
	}
	return lines
}

// bufferClasses are the kinds of clients that client-output-buffer-limit
// bounds, by the names that it takes, with that which it shows.
var bufferClasses = map[string]string{"normal": "normal", "slave": "slave", "replica": "slave", "pubsub": "pubsub", "watch": "watch"}

// parseBufferLimits reads "class hard soft seconds" for some classes; others
// keep theirs.
func parseBufferLimits(_ *Setting, words []string, before string) (string, error) {
	if len(words)%4 != 0 {
		return "", errors.New("Wrong number of arguments in buffer limit configuration.")
	}
	limits := strings.Fields(before)
	for ; len(words) > 0; words = words[4:] {
		class := bufferClasses[strings.ToLower(words[0])]
		if class == "" {
			return "", errors.New("Invalid client class specified in buffer limit configuration.")
		}
		hard, okHard := bytesOf(words[1])
		soft, okSoft := bytesOf(words[2])
		seconds, okSeconds := command.ParseInt([]byte(words[3]))
		if !okHard || !okSoft || !okSeconds || seconds < 0 {
			return "", errors.New("Error in hard, soft or soft_seconds setting in buffer limit configuration.")
		}
		limit := []string{class, decimal(hard), decimal(soft), decimal(seconds)}
		if class == "watch" && !slices.Contains(limits, class) { // Redis has none: it is shown if it is set
			limits = append(limits, limit...)
			continue
		}
		for i := 0; i+3 < len(limits); i += 4 {
			if limits[i] == class {
				copy(limits[i:], limit)
			}
		}
	}
	return strings.Join(limits, " "), nil
}

// formatBufferLimits writes a line a class.
func formatBufferLimits(value string) []string {
	var lines []string
	words := strings.Fields(value)
	for i := 0; i+3 < len(words); i += 4 {
		lines = append(lines, line("client-output-buffer-limit",
			[]string{words[i], memoryText(words[i+1]), memoryText(words[i+2]), words[i+3]}))
	}
	return lines
}

// parseOOMScores reads three numbers.
func parseOOMScores(_ *Setting, words []string, _ string) (string, error) {
	if len(words) != 3 {
		return "", errWords
	}
	for _, word := range words {
		n, err := strconv.Atoi(word)
		if err != nil || n < -2000 || n > 2000 {
			return "", errors.New("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
		}
	}
	return strings.Join(words, " "), nil
}

// parsePercentiles reads numbers from 0 to 100.
func parsePercentiles(s *Setting, words []string, _ string) (string, error) {
	var list []string
	for _, word := range words {
		if word == "" && len(words) == 1 {
			break
		}
		p, err := strconv.ParseFloat(word, 64)
		switch {
		case err != nil:
			return "", fmt.Errorf("Invalid %s parameters", s.Name)
		case !(p >= 0 && p <= 100):
			return "", fmt.Errorf("%s parameters should sit between [0.0,100.0]", s.Name)
		}
		list = append(list, strconv.FormatFloat(p, 'f', -1, 64))
	}
	return strings.Join(list, " "), nil
}

// The letters of notify-keyspace-events in the order in which it shows them:
// those that A stands for, that of new keys, and the others. Redis 7.0 does not
// show that of new keys beside A, though it is in force.
const (
	allEvents   = "g$lshzxetd"
	newKeys     = "n"
	otherEvents = "KEm"
)

func parseEvents(_ *Setting, word string) (string, error) {
	asked := strings.ReplaceAll(word, "A", allEvents)
	if strings.Trim(asked, allEvents+newKeys+otherEvents) != "" {
		return "", errors.New("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	}
	var shown strings.Builder
	classes := allEvents + newKeys + otherEvents
	if containsAll(asked, allEvents) {
		shown.WriteByte('A')
		classes = otherEvents + newKeys
	}
	for _, class := range classes {
		if strings.ContainsRune(asked, class) {
			shown.WriteRune(class)
		}
	}
	return shown.String(), nil
}

func containsAll(s, letters string) bool {
	for _, letter := range letters {
		if !strings.ContainsRune(s, letter) {
			return false
		}
	}
	return true
}

// parseReplicaOf reads "host port", or "no one" for none.
func parseReplicaOf(_ *Setting, words []string, _ string) (string, error) {
	if len(words) != 2 {
		return "", errWords
	}
	if strings.EqualFold(words[0], "no") && strings.EqualFold(words[1], "one") {
		return "", nil
	}
	port, ok := command.ParseInt([]byte(words[1]))
	if !ok || port < 0 || port > 65535 {
		return "", errors.New(strings.TrimPrefix(resp.ErrMasterPort.Str(), "ERR "))
	}
	return words[0] + " " + words[1], nil
}

// parseFileName refuses paths.
func parseFileName(s *Setting, word string) (string, error) {
	switch {
	case word == "" && s.Name != "dbfilename":
		return "", fmt.Errorf("%s can't be empty", s.Name)
	case strings.ContainsRune(word, '/'):
		return "", fmt.Errorf("%s %w", s.Name, errFileName)
	}
	return word, nil
}

// parseHz bounds its number instead of refusing it, as Redis does.
func parseHz(s *Setting, word string) (string, error) {
	value, err := parseInt(s, word)
	if err != nil {
		return "", err
	}
	n, _ := strconv.Atoi(value)
	return strconv.Itoa(min(max(n, 1), 500)), nil
}

// parseHostname takes letters, digits, hyphens and dots.
func parseHostname(_ *Setting, word string) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."
	if strings.Trim(word, letters) != "" {
		return "", errors.New("Hostnames may only contain alphanumeric characters, hyphens or dots")
	}
	return word, nil
}

// parsePath makes a path absolute, so that it means the same wherever it is
// read; "" stays.
func parsePath(_ *Setting, word string) (string, error) {
	if word == "" {
		return "", nil
	}
	return filepath.Abs(word)
}

// parseShutdown is parseEnumSet for what a signal does.
func parseShutdown(s *Setting, words []string, before string) (string, error) {
	value, err := parseEnumSet(s, words, before)
	if err != nil {
		return "", err
	}
	saves := containsWord(value, "save")
	if saves && containsWord(value, "nosave") {
		return "", errors.New("shutdown options SAVE and NOSAVE can't be used simultaneously")
	}
	return value, nil
}

func containsWord(text, word string) bool {
	for _, w := range strings.Fields(text) {
		if w == word {
			return true
		}
	}
	return false
}
