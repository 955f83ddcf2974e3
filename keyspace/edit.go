package keyspace

// Edit makes key, whose value v is a String or missing, a raw String of n
// bytes and returns it for writing: the text it had, cut off or with zeros
// after it. Growth in place is used where the slab has room. The time to live
// stays. v is not good afterwards.
func (tx *Tx) Edit(key []byte, v Value, n int, event string) []byte {
	if !v.Missing() && v.head.enc != Int {
		had := v.head.valLen
		text := tx.Resize(v, n, event)
		clear(text[min(n, had):])
		return text
	}
	var digits []byte
	if !v.Missing() {
		digits = tx.Text(v)
	}
	tx.PutRaw(key, digits[:min(n, len(digits))], KeepDeadline, event)
	v = Value{home: tx.homeOf(key)}
	v.slot, v.head = v.find(key, tx.hash(v.sh, key))
	text := v.resize(n)
	clear(text[min(n, len(digits)):])
	return text
}
