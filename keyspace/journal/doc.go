// Package journal owns a durable server's data directory: a log of records, the snapshot that the log goes
// on from, and the manifest that says which files these are. It knows bytes, files and versions, nothing of
// commands, and asks nothing of a snapshot's content.
//
// # What it promises
//
// Versions rise by one from record to record, in the order of the disk, and are never given out twice in
// one directory, whatever crashes: see EpochShift. What Durable covers is on disk. Of the rest a crash
// leaves a part from its beginning: never a record that was not appended, never one without those before
// it. A start tells a write that a crash cut short, which is set aside and reported, from damage, which is
// refused and changes nothing. A file is removed only when a manifest that does without it is on disk.
//
// The disk may fail in any call. A write that failed is cut off and tried again; after a sync that failed,
// all that is not known to be on disk is written again in another file, since the system may have dropped
// it. Meanwhile records stay in memory and Err says why; it heals by itself.
//
// # The files
//
// Numbers in files are little-endian. CRC32C is Castagnoli's.
//
//	lock                        locked by the process that uses the directory; its number, for people
//	manifest                    which files make up the data
//	journal-NUMBER.log          a segment of the log
//	snapshot-NUMBER-VERSION.rdb the state at a version; the format is the caller's
//	manifest.tmp snapshot.tmp   being written; what a crash leaves of them is removed
//	*.aside                     set aside: the ends of segments, and what Repair moved; never read
//
// Numbers are given out once, rising, to segments and snapshots alike. Everything else in the directory is
// left alone.
//
// # The manifest
//
// Text in lines that end in a newline, replaced as a whole: written under its temporary name, synced,
// renamed, the directory synced.
//
//	troupe manifest 1                                        the format's version
//	identity HEX                                             16 random bytes, those of all segments
//	epoch N                                                  the highest that versions may be of
//	next N                                                   the number of the next file
//	snapshot NAME version N size BYTES crc32c HEX            left out if there is none
//	segment NUMBER after N first N last N size BYTES         one that nothing is added to, with its end
//	segment NUMBER after N first N open                      the last one, if it was not ended
//	crc32c HEX                                               of all lines before
//
// "after" is the last version that the files before have: a segment whose "after" is higher than what came
// before it tells of a gap. The first and the last line are so in every format.
//
// # A segment
//
// A head of 72 bytes, then records without anything between them.
//
//	 0  8  "TRPJRNL\n"
//	 8  4  the format's version, 1
//	12  4  0; 1 if it was written because a sync of the segment before failed or is not known of
//	16 16  the directory's identity
//	32  8  the segment's number
//	40  8  the last version before it
//	48  8  the version of its first record
//	56 12  zeros
//	68  4  CRC32C of the 68 bytes before
//
// Magic, size and checksum of the head are so in every format.
//
// # A record
//
//	 0  4  CRC32C of what follows, up to the body's end; it begins with that of the segment's identity and number
//	 4  4  the body's length
//	 8  8  version: one more than that of the record before
//	16  8  Unix time in ms
//	24  4  the distance in bytes, back from this record, to where the file was known to be on disk when it
//	       was written; 4294967295 for that or more
//	28     body
//
// The distance is what tells a tail from damage: a bad record is a write cut short if nothing sound stands
// behind it. If something does, and says that the bad place was on disk by then, it is damage. If it does
// not say so, a later part of one write may have reached the disk without an earlier one, which then reads
// as zeros up to the end of a sector; with such zeros it is a tail, without them damage.
package journal
