// The package's documentation: rounding, overflow, NaN and other details of dtypes.

// Package num converts between the elements of tensors and Go's numbers: Decode from any of the
// format's 22 dtypes, Encode to any of them, and Convert between them. Pack and Unpack handle
// sub-byte elements as bit patterns. Codec.Pattern returns the meaning of a bit pattern, for
// statistics that count patterns.
//
// Bytes are little-endian, as in files, on every machine. The package uses no unsafe code: its loops
// use encoding/binary, which compiles to one load on little-endian machines. The same code works
// with any alignment and byte order.
//
// # Exactness
//
// A number is rounded at most once, to the nearest with ties to even, directly from a float64 or
// from all 64 bits of an integer. Decoding to float32 is exact except from F64, I32, U32, I64 and
// U64. Decoding to float64 is exact except from I64 and U64. Decoding integers to integers is always
// exact.
//
// # Overflow
//
// A number that exceeds the largest number of a float dtype after rounding becomes infinity in E5M2,
// F16, BF16, F32 and F64, and NaN in E4M3, E8M0 and the FNUZ dtypes, which have no infinity. F4 and
// F6 have neither and saturate. With the option to saturate, all dtypes do: larger numbers and
// infinities become the largest number. This is the meaning of saturation in the OCP 8-bit Floating
// Point Specification (OFP8) v1.0, extended to all floats.
//
// Some numbers have no representation: a NaN in F4 and F6, a NaN in integer dtypes, and, without
// saturation, numbers out of range of an integer dtype. Encoding stops there and returns how many
// numbers precede it.
//
// # NaN
//
// Decode copies the bits of a NaN. F16, BF16, E5M2 and F32 keep their sign and payload, which is
// aligned at the top, and signaling NaNs stay signaling. E4M3, E8M0 and the FNUZ dtypes have no
// payload; their NaNs become the quiet NaN 0x7fc00000, with the top bit of the pattern as the sign
// (E8M0 has no sign).
//
// Encode keeps the sign and the upper bits of the payload and makes the NaN quiet, like the
// instructions of processors. If the dtype has a single NaN, or one for each sign, that one is used.
// NaNs that are not narrowed stay signaling: float32 to F32 or F64, and float64 to F64. Decoding F64
// to float32 is the only decoding that narrows.
//
// A NaN of a narrow float therefore survives a round trip with the quiet bit set, with the same bits
// on every machine.
//
// # Zero
//
// Negative zero is kept, except in the FNUZ dtypes and integers, where it becomes 0.
//
// # E8M0
//
// F8_E8M0 consists of the powers of two from 2^-127 to 2^127, without sign and zero. OCP Microscaling
// Formats (MX) v1.0, 5.4.1, defines the values but not the rounding. Here numbers are rounded to the
// nearest, and a tie (1.5 times a power) is rounded up, because an integer significand of 1 is odd
// and one of 2 is even. Positive numbers below 2^-127 become 2^-127. Zero, negative numbers and NaN
// become NaN, also with saturation. ml_dtypes does the same, except that version 0.6.0 rounds all
// numbers between 2^-127 and 2^-126 up. PyTorch rounds in the same way, but ignores the sign and
// converts zero to 2^-127. CUDA rounds up by default.
//
// # BOOL
//
// All bytes except 0 decode as 1. All numbers except 0, including NaN, encode as 1, as in C, NumPy
// and PyTorch.
//
// # Six bits
//
// No specification defines the packing of F6 elements. They are treated as a bit stream, least
// significant bit of each byte first, with four elements in three bytes. F4 is packed in the same
// way: the even element is the low nibble.
package num
