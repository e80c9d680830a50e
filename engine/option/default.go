package option

import (
	"sync"
	"time"

	"github.com/alecthomas/kong"
)

// Default gives the options of an engine that is told nothing. They stand in the tags of Options and nowhere else.
var Default = sync.OnceValue(func() Options {
	var o Options
	if err := kong.ApplyDefaults(&o); err != nil {
		panic("the defaults in option.Options cannot be read: " + err.Error()) // a mistake in a tag, which every test finds
	}
	return o
})

// PollEvery is how often poll mode looks at the repository by itself.
func (o *Options) PollEvery() time.Duration { return seconds(o.PollSecs) }

// ExitTimeout is how long the end of the process may take.
func (o *Options) ExitTimeout() time.Duration { return seconds(o.ExitTimeoutSecs) }

func seconds(n int) time.Duration { return time.Duration(max(n, 0)) * time.Second }
