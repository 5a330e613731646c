// The package's promise: what is counted, how exactly, and at what cost.

// Package stats summarizes the numbers in a tensor: how many, from where to
// where, their mean and spread, and what is odd about them.
//
//	s, err := stats.Of(t)
//	if err != nil {
//		return err
//	}
//	fmt.Println(s.Min, s.Max, s.Mean, s.StdDev, s.Flags())
//
// For a histogram, quantiles or a digest as well, use a [Counter].
//
// # Exactness
//
// Nothing here is an estimate, whatever the dtype. Counts, Min and Max are
// exact, and Mean and StdDev are the exact ones rounded once, to the nearest
// float64. So no data makes them unstable: not a small spread about a large
// mean, nor numbers that cancel, nor a sum beyond the largest float64.
//
// That is done by counting. A dtype of at most 16 bits has at most 65,536
// patterns, and how often each occurs says all. The numbers of a wider float
// that have one sign and one exponent are integers in one unit, and so are
// counted, added and squared as integers; integers are added as integers. No
// sum is rounded, and none can overflow in a tensor of any size. For the same
// reason the order of the numbers does not matter, and a summary has the same
// bits on every machine, however many processors it has.
//
// # What numbers are
//
// A number is an element; but an element of C64 is two numbers, its real and
// its imaginary part. Any byte of a BOOL but 0 is 1. Min, Max, Mean, StdDev and
// the histograms are of the finite numbers, so that one NaN does not hide what
// the others are; NaN and infinities are counted apart. Zeros have no sign.
//
// # Cost
//
// A tensor is read once, in parts, and by several goroutines if it is large; and
// a second time for a linear histogram of a dtype of more than 16 bits, whose
// edges depend on all the numbers. A pass takes less than 2 MiB of memory for each
// goroutine, whatever the tensor's size. F32 takes half the time of a loop that
// adds float64s, and 8 and 16 bits a quarter of it per byte. A digest takes
// longer than all else; while one goroutine makes it, others read and count.
//
// To cancel, let the tensor's ReaderAt fail. A summary is of the whole tensor
// or there is none.
package stats
