package session

import (
	"slices"

	"github.com/troupedb/troupe/resp/command"
)

// hidden stands for a word that is not shown, as in Redis.
var hidden = []byte("(redacted)")

// withoutSecrets is a command as others than its sender may see it. The words
// are copied only if some are hidden.
func (s *Server) withoutSecrets(of *command.Meta, argv [][]byte) [][]byte {
	places := s.secretPlaces(of, argv)
	if places == nil {
		return argv
	}
	shown := slices.Clone(argv)
	for _, i := range places {
		if i < len(shown) {
			shown[i] = hidden
		}
	}
	return shown
}

// secretPlaces are the places of the words that only the sender may see: those of the
// command itself, those of another that its words hold, and channels named after a
// query that holds some. That other is refused, if it is AUTH, but its password was
// typed all the same.
func (s *Server) secretPlaces(of *command.Meta, argv [][]byte) (places []int) {
	if of.Secrets != nil {
		places = of.Secrets(argv)
	}
	for i := 1; i < len(argv); i++ {
		switch {
		case of.HoldsCommand:
			for _, place := range s.ownSecrets(argv[i:]) {
				places = append(places, i+place)
			}
		case of.Channels != command.NoChannels && isQueryChannel(argv[i]):
			if words, refusal := queryWords(argv[i]); refusal.IsError() || s.ownSecrets(words) != nil {
				places = append(places, i)
			}
		}
	}
	return places
}

// ownSecrets are the secret places of the command that the words are, if they are one.
func (s *Server) ownSecrets(words [][]byte) []int {
	row := s.Catalogue.Lookup(words)
	if row == nil || row.Secrets == nil {
		return nil
	}
	return row.Secrets(words)
}
