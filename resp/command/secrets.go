package command

// Secrets gives the places of the words of a command that only its sender may
// see, passwords above all: neither MONITOR nor the slow log shows them. A place
// behind the last word is that of none.
type Secrets func(argv [][]byte) []int

// SecretFrom makes all words from that place on secret.
func SecretFrom(first int) Secrets {
	return func(argv [][]byte) (places []int) {
		for i := first; i < len(argv); i++ {
			places = append(places, i)
		}
		return places
	}
}
