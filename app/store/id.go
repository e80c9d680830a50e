package store

import "os"

// processBits are the low ten bits of every identifier that this process gives.
var processBits = int64(os.Getpid()) & 0x3ff
