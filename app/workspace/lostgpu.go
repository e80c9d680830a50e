package workspace

import (
	"slices"

	"conch/app/api"
	"conch/engine/gpulost"
)

// lostGPUs are the GPUs, by number, of which people were told that the driver has lost them.
type lostGPUs []int32

// next returns those that are lost and were not. One that is back may be told again.
func (l *lostGPUs) next(lost []int32) (fresh []int32) {
	for _, index := range lost {
		if !slices.Contains(*l, index) {
			fresh = append(fresh, index)
		}
	}
	*l = slices.Clone(lost)
	return fresh
}

// noteLost keeps which GPUs the driver has lost, and makes a notice of those that are new on this machine. It needs Workspace.mu.
func (s *openRepository) noteLost(lost []int32, c *change) {
	s.process.gpusLost = lost
	if s.side.isRemote() || s.process.gpuTrouble != "" || !s.process.gpusRead { // nothing is known of them now
		return
	}
	if fresh := s.lost.next(lost); len(fresh) > 0 {
		c.notices = append(c.notices, s.notice(api.Notice_LEVEL_WARNING, "", gpulost.Text(fresh)))
	}
}
