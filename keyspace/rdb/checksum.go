package rdb

import "hash/crc64"

// jones is the polynomial of Redis's CRC-64, reflected.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// Checksum goes on with a CRC-64 as Redis takes it (Jones's polynomial,
// reflected, beginning with 0 and with nothing done at the end).
func Checksum(sum uint64, data []byte) uint64 { return ^crc64.Update(^sum, jones, data) }
