package store

import "os"

// processBits are the low ten bits of every identifier that this process makes.
var processBits = int64(os.Getpid()) & 0x3ff
