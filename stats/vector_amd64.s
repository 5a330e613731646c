//go:build amd64 && !purego

#include "textflag.h"

// func cpuid(leaf, sub uint32) (a, b, c, d uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL sub+4(FP), CX
	CPUID
	MOVL AX, a+8(FP)
	MOVL BX, b+12(FP)
	MOVL CX, c+16(FP)
	MOVL DX, d+20(FP)
	RET

// func xgetbv() uint32
TEXT ·xgetbv(SB), NOSPLIT, $0-4
	XORL CX, CX
	XGETBV
	MOVL AX, ret+0(FP)
	RET

// func extremesAVX2(src *byte, n int, out *[32]uint32)
//
// Two of each accumulator, because each step waits for the one before.
TEXT ·extremesAVX2(SB), NOSPLIT, $0-24
	MOVQ     src+0(FP), SI
	MOVQ     n+8(FP), CX
	MOVQ     out+16(FP), DI
	VPCMPEQD Y15, Y15, Y15 // -1
	VPSRLD   $1, Y15, Y14  // all bits but the sign
	VPSLLD   $31, Y15, Y0  // the largest as signed; least int32
	VMOVDQA  Y0, Y1
	VPXOR    Y2, Y2, Y2    // the largest as unsigned
	VPXOR    Y3, Y3, Y3
	VMOVDQA  Y15, Y4       // the least magnitude, minus 1, so that a zero is the largest
	VMOVDQA  Y15, Y5
	VPXOR    Y6, Y6, Y6    // zeros
	VPXOR    Y7, Y7, Y7
	VPXOR    Y13, Y13, Y13

extremesLoop:
	VMOVDQU  (SI), Y8
	VMOVDQU  32(SI), Y9
	VPMAXSD  Y8, Y0, Y0
	VPMAXSD  Y9, Y1, Y1
	VPMAXUD  Y8, Y2, Y2
	VPMAXUD  Y9, Y3, Y3
	VPAND    Y14, Y8, Y8
	VPAND    Y14, Y9, Y9
	VPCMPEQD Y13, Y8, Y10
	VPCMPEQD Y13, Y9, Y11
	VPADDD   Y15, Y8, Y8
	VPADDD   Y15, Y9, Y9
	VPSUBD   Y10, Y6, Y6
	VPSUBD   Y11, Y7, Y7
	VPMINUD  Y8, Y4, Y4
	VPMINUD  Y9, Y5, Y5
	ADDQ     $64, SI
	SUBQ     $16, CX
	JNZ      extremesLoop

	VPMAXSD Y1, Y0, Y0
	VPMAXUD Y3, Y2, Y2
	VPMINUD Y5, Y4, Y4
	VPADDD  Y7, Y6, Y6
	VMOVDQU Y0, (DI)
	VMOVDQU Y2, 32(DI)
	VMOVDQU Y4, 64(DI)
	VMOVDQU Y6, 96(DI)
	VZEROUPPER
	RET

// func sumsAVX2(src *byte, n int, split float64, out *[24]float64)
TEXT ·sumsAVX2(SB), NOSPLIT, $0-32
	MOVQ         src+0(FP), SI
	MOVQ         n+8(FP), CX
	VBROADCASTSD split+16(FP), Y15
	MOVQ         out+24(FP), DI
	VXORPD       Y8, Y8, Y8        // sums
	VXORPD       Y9, Y9, Y9
	VXORPD       Y10, Y10, Y10     // upper parts of squares
	VXORPD       Y11, Y11, Y11
	VXORPD       Y12, Y12, Y12     // lower parts
	VXORPD       Y13, Y13, Y13

sumsLoop:
	VCVTPS2PD   (SI), Y0
	VCVTPS2PD   16(SI), Y1
	VMOVAPD     Y15, Y2
	VMOVAPD     Y15, Y3
	VFMADD231PD Y0, Y0, Y2         // x*x + split
	VFMADD231PD Y1, Y1, Y3
	VADDPD      Y0, Y8, Y8
	VADDPD      Y1, Y9, Y9
	VSUBPD      Y15, Y2, Y2        // the upper part
	VSUBPD      Y15, Y3, Y3
	VADDPD      Y2, Y10, Y10
	VADDPD      Y3, Y11, Y11
	VFMSUB213PD Y2, Y0, Y0         // x*x - the upper part
	VFMSUB213PD Y3, Y1, Y1
	VADDPD      Y0, Y12, Y12
	VADDPD      Y1, Y13, Y13
	ADDQ        $32, SI
	SUBQ        $8, CX
	JNZ         sumsLoop

	VMOVUPD Y8, (DI)
	VMOVUPD Y9, 32(DI)
	VMOVUPD Y10, 64(DI)
	VMOVUPD Y11, 96(DI)
	VMOVUPD Y12, 128(DI)
	VMOVUPD Y13, 160(DI)
	VZEROUPPER
	RET
