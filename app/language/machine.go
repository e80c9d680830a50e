package language

import (
	"sync"

	"conch/engine/memory"
)

// machineMemory is how many bytes an engine on this machine may use; 0 where the system does not
// report it.
var machineMemory = sync.OnceValue(func() int64 {
	limit, _ := memory.Limit()
	return limit
})
