package config

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// descriptorsKept are the descriptors that the server needs beside its links,
// as many as Redis keeps.
const descriptorsKept = 32

// clientsPossible is how many links the descriptors allow, where the system
// tells (Linux). The Go runtime has raised the limit as far as it may.
func clientsPossible() (most int64, known bool) {
	text, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return 0, false
	}
	limit, known := openFiles(string(text))
	return max(limit-descriptorsKept, 1), known
}

// openFiles finds the bound on open files in the kernel's table of limits.
func openFiles(table string) (limit int64, known bool) {
	for line := range strings.Lines(table) {
		rest, found := strings.CutPrefix(line, "Max open files")
		if !found {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0, false
		}
		limit, err := strconv.ParseInt(fields[0], 10, 64)
		return limit, err == nil // "unlimited" is no bound
	}
	return 0, false
}

// lowerClients makes maxclients no more than the descriptors allow, and says
// so.
func (c *Config) lowerClients() {
	most, known := clientsPossible()
	wanted := c.Int("maxclients")
	if !known || wanted <= most {
		return
	}
	c.values[must("maxclients").index] = decimal(most)
	c.warnings = append(c.warnings, fmt.Sprintf(
		"maxclients is %d instead of %d: the limit of open files (ulimit -n) must be at least %d", most, wanted, wanted+descriptorsKept))
}
