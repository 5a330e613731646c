// The garbage collector.

package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The collector runs when the heap has grown by room since it ran last. Its usual setting lets a heap double: a small
// one is collected all the time, and one with millions of names needs twice its memory.
const (
	leastRoom = 24 << 20 // bytes
	share     = 3        // room is a third of a large heap
)

// TuneCollector sets how far the heap grows between collections, now and after each one.
func TuneCollector() {
	debug.SetGCPercent(100 * leastRoom / (4 << 20)) // the first collection counts from 4 MiB
	rearm()
}

// rearm calls tune after the next collection.
func rearm() {
	type sentinel struct{ _ [16]byte }
	runtime.AddCleanup(new(sentinel), func(struct{}) {
		tune()
		rearm()
	}, struct{}{})
}

// tune sets the growth for what is alive.
func tune() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	n := max(live[0].Value.Uint64(), 1<<20)
	debug.SetGCPercent(int(100 * max(leastRoom, n/share) / n))
}
