package session

import (
	"slices"

	"github.com/troupedb/troupe/resp/command"
)

// secretSettings are the settings whose values nobody is shown.
var secretSettings = []string{"REQUIREPASS", "MASTERAUTH", "MASTERUSER", "TLS-KEY-FILE-PASS", "TLS-CLIENT-KEY-FILE-PASS"}

// hidden stands for a word that is not shown, as in Redis.
var hidden = []byte("(redacted)")

// withoutSecrets is a command as others than its sender may see it: without
// passwords. The words are copied only if some are hidden.
func withoutSecrets(of *command.Meta, argv [][]byte) [][]byte {
	secret := secretWords(of.Name)
	if secret == nil {
		return argv
	}
	shown := slices.Clone(argv)
	secret(argv, func(i int) {
		if i < len(shown) {
			shown[i] = hidden
		}
	})
	return shown
}

// secretWords gives what calls hide with the places of a command's secrets;
// nil for the many commands that have none.
func secretWords(name string) func(argv [][]byte, hide func(int)) {
	switch name {
	case "HANDSHAKE": // whose id may hold a password
		return func(_ [][]byte, hide func(int)) { hide(1) }
	case "AUTH":
		return func(argv [][]byte, hide func(int)) { hideFrom(1, argv, hide) }
	case "ACL|SETUSER":
		return func(argv [][]byte, hide func(int)) { hideFrom(3, argv, hide) }
	case "HELLO":
		return hideLogin
	case "MIGRATE":
		return hideLogin
	case "CONFIG|SET":
		return hideSettings
	}
	return nil
}

func hideFrom(first int, argv [][]byte, hide func(int)) {
	for i := first; i < len(argv); i++ {
		hide(i)
	}
}

// hideLogin hides what follows AUTH (of HELLO a user and a password, of
// MIGRATE a password) and AUTH2.
func hideLogin(argv [][]byte, hide func(int)) {
	for i := range argv {
		switch {
		case command.EqualFold(argv[i], "AUTH2") || command.EqualFold(argv[i], "AUTH") && command.EqualFold(argv[0], "HELLO"):
			hide(i + 1)
			hide(i + 2)
			return
		case command.EqualFold(argv[i], "AUTH"):
			hide(i + 1)
			return
		}
	}
}

func hideSettings(argv [][]byte, hide func(int)) {
	for i := 2; i+1 < len(argv); i += 2 {
		if slices.ContainsFunc(secretSettings, func(name string) bool { return command.EqualFold(argv[i], name) }) {
			hide(i + 1)
		}
	}
}
