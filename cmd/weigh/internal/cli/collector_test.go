package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollector checks that the collector's goal follows the size of the heap.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	TuneCollector()
	for _, size := range []uint64{1 << 20, 256 << 20} {
		held := make([]byte, size)
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
		most := size + size/2 + 3*leastRoom
		if goal := waitForGoal(most); goal > most {
			t.Errorf("with %d bytes, the heap may grow to %d, more than %d", size, goal, most)
		}
		runtime.KeepAlive(held)
	}
}

// waitForGoal collects until the goal is at most the given one, or some time has passed, and returns it.
func waitForGoal(most uint64) uint64 {
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	for range 100 {
		runtime.GC()
		if metrics.Read(goal); goal[0].Value.Uint64() <= most {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return goal[0].Value.Uint64()
}
