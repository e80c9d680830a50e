package kserve

import "time"

// Patience is how long a client may take for the next part of a request. It is
// far more than a client that is alive needs between two packets.
const Patience = 30 * time.Second
