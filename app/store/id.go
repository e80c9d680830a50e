package store

import "os"

// processMask is the part of an identifier that names the process.
const processMask = 0x3ff

// processBits are the low ten bits of every identifier that this process makes.
var processBits = int64(os.Getpid()) & processMask
