package config

import (
	"cmp"
	"slices"
	"strings"
)

// Table is every setting, by name: those that work here, then the others.
// It is never changed.
var Table = table()

// byName finds a row by its name or its former one.
var byName = index(Table)

func table() []*Setting {
	var all []*Setting
	for _, part := range [][]Setting{
		networkRows, tlsRows, httpRows, traceRows, serverRows, clientRows, keyspaceRows, memoryRows, compactionRows, storageRows, logRows, directiveRows, reservedRows,
	} {
		for i := range part {
			all = append(all, &part[i])
		}
	}
	for _, part := range ignoredParts {
		for i := range part.rows {
			row := &part.rows[i]
			row.Role, row.Group, row.Why = Ignored, part.group, part.why
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b *Setting) int { return cmp.Compare(a.Name, b.Name) })
	for i, row := range all {
		row.index = i
		if row.Kind == Memory && row.Default != "" {
			n, _ := bytesOf(row.Default)
			row.Default = decimal(n)
		}
	}
	return all
}

func index(rows []*Setting) map[string]*Setting {
	byName := map[string]*Setting{}
	for _, row := range rows {
		byName[row.Name] = row
		if row.Alias != "" {
			byName[row.Alias] = row
		}
	}
	return byName
}

// as is the name, present or former, that a word in any case means.
func (s *Setting) as(word string) string {
	if strings.EqualFold(word, s.Alias) {
		return s.Alias
	}
	return s.Name
}

// Named is the setting of that name, present or former, in any case; nil if
// there is none.
func Named(name string) *Setting { return byName[strings.ToLower(name)] }
