package watch

import "time"

// Timing says how long files have to be quiet before they count as whole.
// Nothing tells a watcher that a writer has finished; a pause is the only
// sign, and every constant is a bargain between speed and mistakes.
type Timing struct {
	// Small is for files up to smallFile, and for what was deleted.
	Small time.Duration
	// Medium is for files up to mediumFile, and for empty ones: most of them
	// have been opened and cut, and what they will hold is still to come.
	Medium time.Duration
	// Large is for larger files.
	Large time.Duration
	// Folder is for a model in which a folder appeared.
	Folder time.Duration
	// Patience is the longest pause ever asked for.
	Patience time.Duration
	// Interval is the time between two looks when polling, and between two
	// looks at what sends no events: missing roots and linked files.
	Interval time.Duration
}

const (
	// smallFile: an ordinary disk takes this much in less than Small, so a
	// writer that keeps writing is seen to.
	smallFile = 16 << 20
	// mediumFile: most models.
	mediumFile = 256 << 20
)

// LocalTiming is for disks of this machine.
func LocalTiming() Timing {
	return Timing{
		// A save is several steps (truncate, write, rename, chmod) that the
		// slowest editors spread over some 30 ms. Twice that keeps the time
		// from a save to a served model, 300 ms in all, within reach.
		Small: 70 * time.Millisecond,
		// Writers of large files stall while the kernel writes out dirty
		// pages; a quarter of a second covers an SSD.
		Medium: 250 * time.Millisecond,
		// Beyond that the copy itself takes seconds, and a load as well: a
		// second more is not felt, but a load of half a file is.
		Large: time.Second,
		// cp -r and git checkout make a folder, then its files one by one.
		Folder: 250 * time.Millisecond,
		// A slow copy stalls for long; but nobody waits for ever.
		Patience: 2 * time.Second,
		// Often enough to look alive, and one stat per root is nothing.
		Interval: time.Second,
	}
}

// RemoteTiming is for network drives: NFS shows sizes and times that are up
// to 3 s old (acregmin), SMB 1 s (actimeo).
func RemoteTiming() Timing {
	return Timing{
		Small:    1 * time.Second,
		Medium:   4 * time.Second,
		Large:    4 * time.Second,
		Folder:   4 * time.Second,
		Patience: 8 * time.Second,
		Interval: time.Second,
	}
}

// quiet is the pause to ask of a file that has been written to for some time.
// One that took long so far is being copied by somebody slow, who may stall
// in proportion: ask for half of the time it took.
func (t Timing) quiet(now look, writing time.Duration) time.Duration {
	base := t.Small
	switch {
	case now.size > mediumFile:
		base = t.Large
	case now.size > smallFile, now.empty():
		base = t.Medium
	}
	return max(base, min(writing/2, t.Patience))
}
