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
	var crc uint16
	for _, c := range key {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^c]
	}
	return int(crc) & (Slots - 1)
}

// ShardOf is the number of the shard, of n, that owns the key's slot. Each
// shard owns one unbroken range of slots.
func ShardOf(key []byte, n int) int {
	if n == 1 {
		return 0
	}
	return Slot(key) * n / Slots
}

// crcTable is the table of the polynomial x^16 + x^12 + x^5 + 1.
var crcTable = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		table[i] = crc
	}
	return table
}()
