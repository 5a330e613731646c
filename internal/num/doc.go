// The package's promise, and every choice that the dtypes leave open.

// Package num turns the elements of tensors into Go's numbers and back, in
// bulk: Decode from any of the format's 22 dtypes, Encode into any, Convert
// from one into another. Pack and Unpack take sub-byte elements apart without
// looking at their values, and Codec.Pattern says what a bit pattern means, for
// those who count patterns instead of numbers.
//
// Bytes are little-endian, as in files, wherever the program runs. There is no
// unsafe code: the loops read through encoding/binary, which the compiler makes
// one load on a little-endian machine, so that one path serves any alignment
// and any byte order.
//
// # Exactness
//
// A number is rounded at most once, to the nearest, ties to even, and straight
// from its source: from a float64, or from all 64 bits of an integer, and never
// by way of a float32. Decoding to float32 is exact but from F64, I32, U32, I64
// and U64; to float64, but from I64 and U64; integers to integers always.
//
// # Overflow
//
// What lies beyond the largest number of a float dtype, once rounded, becomes
// an infinity in E5M2, F16, BF16, F32 and F64, and a NaN in E4M3, E8M0 and the
// FNUZ dtypes, which have no infinity. F4 and F6 have neither, and saturate.
// When asked to saturate, all do: the largest number takes the place of all
// beyond it, infinities included. That is what the OCP 8-bit Floating Point
// Specification (OFP8) v1.0 means by saturating; here it holds for every float.
//
// An element that cannot be held in any of these ways ends the work, which
// then says how many went before: a NaN for F4 and F6, and for an integer
// dtype a NaN or, unless saturating, a number out of range.
//
// # NaN
//
// Decode moves the bits. F16, BF16, E5M2 and F32 keep sign and payload, the
// payload at the top of the wider one, and a signaling NaN stays one. E4M3,
// E8M0 and the FNUZ dtypes have no payload; theirs become the quiet NaN
// 0x7fc00000 with the pattern's top bit as its sign (E8M0 has no sign).
//
// Encode keeps the sign and the upper bits of the payload and makes the NaN
// quiet, as the conversion instructions of processors do. Where the dtype has
// one NaN, or one of each sign, that is taken. Nothing is made quiet that is
// not narrowed: a float32 as F32 or F64, a float64 as F64. F64 as float32 is
// the one decoding that narrows.
//
// So every NaN of a narrow float comes back as itself with the quiet bit set,
// and the bits are the same on every machine, though processors differ.
//
// # Zero
//
// Negative zero is kept, but for the FNUZ dtypes and the integers, which have
// one zero: it becomes 0.
//
// # E8M0
//
// F8_E8M0 holds the powers of two from 2^-127 to 2^127, and no sign and no
// zero. OCP Microscaling Formats (MX) v1.0, 5.4.1, gives the values and leaves
// the rounding open. Here as elsewhere it is to the nearest, and a tie, 1.5
// times a power, goes up, since an integer significand of 1 is odd and one of 2
// even. Positive numbers below 2^-127 become 2^-127; zero, negative numbers and
// NaN become NaN, saturating or not. That is what ml_dtypes does, save that its
// version 0.6.0 rounds all numbers between 2^-127 and 2^-126 up. Others differ:
// PyTorch rounds like this, but drops the sign and makes zero 2^-127; CUDA's
// conversions round up by default.
//
// # BOOL
//
// A byte that is not 0 decodes as 1. A number that is not 0, NaN included,
// encodes as 1: the truth of C, NumPy and PyTorch.
//
// # Six bits
//
// No specification says how F6 elements lie in bytes. They are read as a bit
// stream, the least significant bit of each byte first, so that four elements
// take three bytes. F4 is the same stream: the even element is the low nibble.
package num
