// The package's documentation.

// Package stats computes statistics of the numbers in a tensor: count, range, mean, deviation, and
// suspicious properties.
//
//	s, err := stats.Of(t)
//	if err != nil {
//		return err
//	}
//	fmt.Println(s.Min, s.Max, s.Mean, s.StdDev, s.Flags())
//
// Use a [Counter] to add a histogram, quantiles or a digest.
//
// # Exactness
//
// Nothing is estimated. Counts, Min and Max are exact for all dtypes, and Mean and StdDev are the exact
// values rounded once to the nearest float64. They are stable for all data, including small deviations
// from a large mean, cancellation, and sums beyond the largest float64.
//
// For dtypes of at most 16 bits, the package counts each of the 65,536 bit patterns. Numbers of wider
// floats with the same sign and exponent are integers in a common unit, and are counted, added and
// squared as integers. No sum is rounded, and none overflows in a tensor of any size. The order of
// numbers therefore does not matter, and a summary has the same bits on every machine with any number of
// processors.
//
// # Numbers
//
// A number is an element. An element of C64 is two numbers, its real and its imaginary part. All bytes of
// a BOOL except 0 are 1. Min, Max, Mean, StdDev and the histograms describe the finite numbers; NaN and
// infinities are counted separately. Zeros have no sign.
//
// # Cost
//
// A tensor is read once, in blocks, by several goroutines if it is large. For dtypes above 16 bits, a linear
// histogram requires a second pass, because its edges depend on all numbers. A pass needs less than 2 MiB of
// memory for each goroutine. F32 takes half the time of a loop that adds float64s, and dtypes of 8 and 16
// bits take a quarter of it per byte. Computing a digest takes longest; while one goroutine hashes, others
// read and count.
//
// To cancel, make the tensor's ReaderAt return an error. A summary always describes the whole tensor.
package stats
