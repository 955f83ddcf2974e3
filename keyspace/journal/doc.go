// Package journal owns a durable server's data directory: a log of records, the snapshot that the log goes
// on from, and the manifest that says which files these are. It knows bytes, files and versions, nothing of
// commands.
package journal
