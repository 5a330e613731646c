//go:build arm64 && !purego

#include "textflag.h"

// Go's assembler lacks some vector instructions. They are given by their encodings, with the instruction beside them.

// func extremesNEON(src *byte, n int, out *[16]uint32)
//
// Two of each accumulator, because each step waits for the one before.
TEXT ·extremesNEON(SB), NOSPLIT, $0-24
	MOVD  src+0(FP), R0
	MOVD  n+8(FP), R1
	MOVD  out+16(FP), R2
	MOVD  $0xffffffff, R3
	VDUP  R3, V15.S4           // -1
	MOVD  $0x7fffffff, R3
	VDUP  R3, V14.S4           // all bits but the sign
	MOVD  $0x80000000, R3
	VDUP  R3, V0.S4            // the largest as signed; least int32
	VMOV  V0.B16, V1.B16
	VEOR  V2.B16, V2.B16, V2.B16 // the largest as unsigned
	VEOR  V3.B16, V3.B16, V3.B16
	VMOV  V15.B16, V4.B16      // the least magnitude, minus 1, so that a zero is the largest
	VMOV  V15.B16, V5.B16
	VEOR  V6.B16, V6.B16, V6.B16 // zeros
	VEOR  V7.B16, V7.B16, V7.B16
	VEOR  V13.B16, V13.B16, V13.B16

extremesLoop:
	VLD1.P 32(R0), [V8.S4, V9.S4]
	WORD   $0x4ea86400 // smax v0.4s, v0.4s, v8.4s
	WORD   $0x4ea96421 // smax v1.4s, v1.4s, v9.4s
	VUMAX  V8.S4, V2.S4, V2.S4
	VUMAX  V9.S4, V3.S4, V3.S4
	VAND   V14.B16, V8.B16, V8.B16
	VAND   V14.B16, V9.B16, V9.B16
	VCMEQ  V13.S4, V8.S4, V10.S4
	VCMEQ  V13.S4, V9.S4, V11.S4
	VADD   V15.S4, V8.S4, V8.S4
	VADD   V15.S4, V9.S4, V9.S4
	VSUB   V10.S4, V6.S4, V6.S4
	VSUB   V11.S4, V7.S4, V7.S4
	VUMIN  V8.S4, V4.S4, V4.S4
	VUMIN  V9.S4, V5.S4, V5.S4
	SUBS   $8, R1
	BNE    extremesLoop

	WORD  $0x4ea16400 // smax v0.4s, v0.4s, v1.4s
	VUMAX V3.S4, V2.S4, V2.S4
	VUMIN V5.S4, V4.S4, V4.S4
	VADD  V7.S4, V6.S4, V6.S4
	VST1.P [V0.S4], 16(R2)
	VST1.P [V2.S4], 16(R2)
	VST1.P [V4.S4], 16(R2)
	VST1   [V6.S4], (R2)
	RET

// func sumsNEON(src *byte, n int, split float64, out *[12]float64)
TEXT ·sumsNEON(SB), NOSPLIT, $0-32
	MOVD src+0(FP), R0
	MOVD n+8(FP), R1
	MOVD split+16(FP), R3
	MOVD out+24(FP), R2
	VDUP R3, V15.D2
	VEOR V0.B16, V0.B16, V0.B16 // sums
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16 // upper parts of squares
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16 // lower parts
	VEOR V5.B16, V5.B16, V5.B16

sumsLoop:
	VLD1.P 16(R0), [V8.S4]
	WORD   $0x0e617910                // fcvtl v16.2d, v8.2s
	WORD   $0x4e617911                // fcvtl2 v17.2d, v8.4s
	VMOV   V15.B16, V18.B16
	VMOV   V15.B16, V19.B16
	VFMLA  V16.D2, V16.D2, V18.D2     // x*x + split
	VFMLA  V17.D2, V17.D2, V19.D2
	WORD   $0x4e70d400                // fadd v0.2d, v0.2d, v16.2d
	WORD   $0x4e71d421                // fadd v1.2d, v1.2d, v17.2d
	WORD   $0x4eefd652                // fsub v18.2d, v18.2d, v15.2d: the upper part
	WORD   $0x4eefd673                // fsub v19.2d, v19.2d, v15.2d
	WORD   $0x4e72d442                // fadd v2.2d, v2.2d, v18.2d
	WORD   $0x4e73d463                // fadd v3.2d, v3.2d, v19.2d
	VFMLS  V16.D2, V16.D2, V18.D2     // the upper part - x*x
	VFMLS  V17.D2, V17.D2, V19.D2
	WORD   $0x4ef2d484                // fsub v4.2d, v4.2d, v18.2d
	WORD   $0x4ef3d4a5                // fsub v5.2d, v5.2d, v19.2d
	SUBS   $4, R1
	BNE    sumsLoop

	VST1.P [V0.D2, V1.D2], 32(R2)
	VST1.P [V2.D2, V3.D2], 32(R2)
	VST1   [V4.D2, V5.D2], (R2)
	RET
