package keyspace

import "bytes"

// Slots is the number of hash slots, as in Redis Cluster.
const Slots = 16384

// Slot is the hash slot of a key: CRC16 (XMODEM, as the Redis Cluster
// specification says) of the key, or of what stands between the first "{" and
// the next "}" if that is not empty.
func Slot(key []byte) int {
	if open := bytes.IndexByte(key, '{'); open >= 0 {
		if length := bytes.IndexByte(key[open+1:], '}'); length > 0 {
			key = key[open+1 : open+1+length]
		}
	}
	return int(crc16(key)) & (Slots - 1)
}

// ShardOf is the number of the shard, of n, that owns the key's slot. Each
// shard owns one unbroken range of slots.
func ShardOf(key []byte, n int) int {
	if n == 1 {
		return 0
	}
	return Slot(key) * n / Slots
}

// crc16 goes eight bytes at a time, each with a table of its own (slicing-by-8,
// Kounavis and Berry): the tables give what each byte contributes after the
// bytes behind it have passed through the register.
func crc16(b []byte) (crc uint16) {
	for len(b) >= 8 {
		crc = crcTables[7][b[0]^byte(crc>>8)] ^ crcTables[6][b[1]^byte(crc)] ^
			crcTables[5][b[2]] ^ crcTables[4][b[3]] ^ crcTables[3][b[4]] ^
			crcTables[2][b[5]] ^ crcTables[1][b[6]] ^ crcTables[0][b[7]]
		b = b[8:]
	}
	for _, c := range b {
		crc = crc<<8 ^ crcTables[0][byte(crc>>8)^c]
	}
	return crc
}

// crcTables are those of the polynomial x^16 + x^12 + x^5 + 1: the first for a
// byte alone, the nth for a byte with n more behind it.
var crcTables = func() (tables [8][256]uint16) {
	for i := range tables[0] {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		tables[0][i] = crc
	}
	for n := 1; n < len(tables); n++ {
		for i := range tables[n] {
			before := tables[n-1][i]
			tables[n][i] = before<<8 ^ tables[0][before>>8]
		}
	}
	return tables
}()
