// Package mapped maps files of others into memory. Who has a file can shorten it at any time. A read of mapped memory behind
// the file's new end would end the process with SIGBUS, also in native code. The handler here puts empty pages there
// instead: the reader gets zeros, and Torn tells of it. All other faults go to Go's handler.
package mapped

// Memory is a part of a file. Others may change its bytes at any time.
type Memory struct {
	data   []byte
	number int // of its guard
}

// Bytes are those of the file, until Close.
func (m *Memory) Bytes() []byte { return m.data }
