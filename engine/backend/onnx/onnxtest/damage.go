package onnxtest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// Damage changes a file: one number a little, so that it can still be read, or one to four places in any way. Half of the
// changes are in its first kilobytes, where the graph is.
func Damage(random *rand.Rand, seed []byte) []byte {
	file := bytes.Clone(seed)
	if random.IntN(2) == 0 {
		file[random.IntN(min(len(file), 4096))] += byte(random.IntN(5)) - 2
		return file
	}
	for range 1 + random.IntN(4) {
		reach := len(file)
		if random.IntN(2) == 0 {
			reach = min(reach, 2048)
		}
		at := random.IntN(reach)
		switch random.IntN(6) {
		case 0:
			file[at] = byte(random.IntN(256))
		case 1:
			file[at] ^= 1 << random.IntN(8)
		case 2:
			file = file[:at+1]
		case 3:
			file = append(file[:at:at], append(bytes.Clone(file[at/2:at]), file[at:]...)...)
		case 4:
			clear(file[at:min(len(file), at+1+random.IntN(64))])
		case 5:
			if at+8 <= len(file) {
				binary.LittleEndian.PutUint64(file[at:], random.Uint64())
			}
		}
	}
	return file
}
