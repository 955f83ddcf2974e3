package session

import (
	"slices"

	"github.com/troupedb/troupe/resp/command"
)

// hidden stands for a word that is not shown, as in Redis.
var hidden = []byte("(redacted)")

// withoutSecrets is a command as others than its sender may see it. The words
// are copied only if some are hidden.
func withoutSecrets(of *command.Meta, argv [][]byte) [][]byte {
	if of.Secrets == nil {
		return argv
	}
	shown := slices.Clone(argv)
	for _, i := range of.Secrets(argv) {
		if i < len(shown) {
			shown[i] = hidden
		}
	}
	return shown
}
