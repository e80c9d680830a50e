package option

import (
	"sync"
	"time"

	"github.com/alecthomas/kong"
)

// Default returns the options of an engine without flags. They are defined only in the tags of Options.
var Default = sync.OnceValue(func() Options {
	var o Options
	if err := kong.ApplyDefaults(&o); err != nil {
		panic("the defaults in option.Options cannot be read: " + err.Error()) // a mistake in a tag, which every test finds
	}
	return o
})

// PollEvery returns the interval of poll mode's looks at the repository.
func (o *Options) PollEvery() time.Duration { return seconds(o.PollSecs) }

// ExitTimeout returns how long the end of the process may take.
func (o *Options) ExitTimeout() time.Duration { return seconds(o.ExitTimeoutSecs) }

// LeastMetricsInterval bounds how often the GPUs are read.
const LeastMetricsInterval = 100 * time.Millisecond

// MetricsInterval returns the time between two readings of the GPUs.
func (o *Options) MetricsInterval() time.Duration {
	return max(time.Duration(min(o.MetricsEveryMs, 1<<40))*time.Millisecond, LeastMetricsInterval)
}

func seconds(n int) time.Duration { return time.Duration(max(n, 0)) * time.Second }
