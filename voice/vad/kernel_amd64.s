//go:build amd64 && !purego

#include "textflag.h"

// The three kernels keep eight sums of 8 rows each in Y0 to Y7, which is what it takes to start two multiplications per
// cycle: for one column 64 rows, for two 32, for four 16. A step reads one input of each column and the weights that meet
// it once. With one column, most of the work is to fetch the weights, so it goes over a list of the inputs that count.
//
// DI: y, R8: its distance between columns. SI: w. DX: x, R11: its distance between columns. BX: b. R9: blocks left.
// R10: inputs. Y15: floor.

#define LOAD \
	MOVQ         y+0(FP), DI;       \
	MOVQ         w+8(FP), SI;       \
	MOVQ         x+16(FP), DX;      \
	MOVQ         b+24(FP), BX;      \
	MOVQ         blocks+32(FP), R9; \
	MOVQ         n+40(FP), R10;     \
	VBROADCASTSS floor+48(FP), Y15

// func gemm1(y, w, x, b *float32, blocks, n int, floor float32, inputs *int32, used int)
TEXT ·gemm1(SB), NOSPLIT, $0-72
	LOAD
	MOVQ inputs+56(FP), R11
	SHLQ $8, R10            // bytes of a block of w

rows:
	VMOVUPS (BX), Y0
	VMOVUPS 32(BX), Y1
	VMOVUPS 64(BX), Y2
	VMOVUPS 96(BX), Y3
	VMOVUPS 128(BX), Y4
	VMOVUPS 160(BX), Y5
	VMOVUPS 192(BX), Y6
	VMOVUPS 224(BX), Y7
	MOVQ    R11, R12
	MOVQ    used+64(FP), CX

inputs:
	MOVL         (R12), AX
	VBROADCASTSS (DX)(AX*4), Y8
	SHLQ         $8, AX
	VFMADD231PS  (SI)(AX*1), Y8, Y0
	VFMADD231PS  32(SI)(AX*1), Y8, Y1
	VFMADD231PS  64(SI)(AX*1), Y8, Y2
	VFMADD231PS  96(SI)(AX*1), Y8, Y3
	VFMADD231PS  128(SI)(AX*1), Y8, Y4
	VFMADD231PS  160(SI)(AX*1), Y8, Y5
	VFMADD231PS  192(SI)(AX*1), Y8, Y6
	VFMADD231PS  224(SI)(AX*1), Y8, Y7
	ADDQ         $4, R12
	DECQ         CX
	JNZ          inputs

	VMAXPS  Y15, Y0, Y0
	VMAXPS  Y15, Y1, Y1
	VMAXPS  Y15, Y2, Y2
	VMAXPS  Y15, Y3, Y3
	VMAXPS  Y15, Y4, Y4
	VMAXPS  Y15, Y5, Y5
	VMAXPS  Y15, Y6, Y6
	VMAXPS  Y15, Y7, Y7
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ    R10, SI
	ADDQ    $256, DI
	ADDQ    $256, BX
	DECQ    R9
	JNZ     rows
	VZEROUPPER
	RET

// PAIR adds the products of an input, in Y8, and the weights of 16 rows, two in each word, to the sums of these.
#define PAIR(at, high, low, first, second) \
	VMOVDQU     at(SI)(AX*1), high; \
	VPSLLD      $16, high, low;     \
	VCVTDQ2PS   high, high;         \
	VCVTDQ2PS   low, low;           \
	VFMADD231PS high, Y8, first;    \
	VFMADD231PS low, Y8, second

// SCALED writes what 8 sums are in the scale of their rows.
#define SCALED(at, sums) \
	VMOVUPS     at(R8), Y8;       \
	VFMADD213PS at(BX), Y8, sums; \
	VMOVUPS     sums, at(DI)

// func gemm1Packed(y, w, x, b *float32, blocks, n int, scale *float32, inputs *int32, used int)
TEXT ·gemm1Packed(SB), NOSPLIT, $0-72
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ b+24(FP), BX
	MOVQ blocks+32(FP), R9
	MOVQ n+40(FP), R10
	MOVQ scale+48(FP), R8
	MOVQ inputs+56(FP), R11
	SHLQ $7, R10            // bytes of a block of w

rows:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   R11, R12
	MOVQ   used+64(FP), CX

inputs:
	MOVL         (R12), AX
	VBROADCASTSS (DX)(AX*4), Y8
	SHLQ         $7, AX
	PAIR(0, Y9, Y10, Y0, Y1)
	PAIR(32, Y11, Y12, Y2, Y3)
	PAIR(64, Y13, Y14, Y4, Y5)
	PAIR(96, Y9, Y15, Y6, Y7)
	ADDQ         $4, R12
	DECQ         CX
	JNZ          inputs

	SCALED(0, Y0)
	SCALED(32, Y1)
	SCALED(64, Y2)
	SCALED(96, Y3)
	SCALED(128, Y4)
	SCALED(160, Y5)
	SCALED(192, Y6)
	SCALED(224, Y7)
	ADDQ R10, SI
	ADDQ $256, DI
	ADDQ $256, BX
	ADDQ $256, R8
	DECQ R9
	JNZ  rows
	VZEROUPPER
	RET

// func gemm2(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)
TEXT ·gemm2(SB), NOSPLIT, $0-72
	LOAD
	MOVQ yStep+56(FP), R8
	MOVQ xStep+64(FP), R11
	SHLQ $2, R8
	SHLQ $2, R11

rows:
	VMOVUPS (BX), Y0
	VMOVUPS 32(BX), Y1
	VMOVUPS 64(BX), Y2
	VMOVUPS 96(BX), Y3
	VMOVUPS Y0, Y4
	VMOVUPS Y1, Y5
	VMOVUPS Y2, Y6
	VMOVUPS Y3, Y7
	MOVQ    DX, R12
	MOVQ    R10, CX

inputs:
	VMOVUPS      (SI), Y8
	VMOVUPS      32(SI), Y9
	VMOVUPS      64(SI), Y10
	VMOVUPS      96(SI), Y11
	VBROADCASTSS (R12), Y12
	VBROADCASTSS (R12)(R11*1), Y13
	VFMADD231PS  Y8, Y12, Y0
	VFMADD231PS  Y9, Y12, Y1
	VFMADD231PS  Y10, Y12, Y2
	VFMADD231PS  Y11, Y12, Y3
	VFMADD231PS  Y8, Y13, Y4
	VFMADD231PS  Y9, Y13, Y5
	VFMADD231PS  Y10, Y13, Y6
	VFMADD231PS  Y11, Y13, Y7
	ADDQ         $4, R12
	ADDQ         $128, SI
	DECQ         CX
	JNZ          inputs

	VMAXPS  Y15, Y0, Y0
	VMAXPS  Y15, Y1, Y1
	VMAXPS  Y15, Y2, Y2
	VMAXPS  Y15, Y3, Y3
	VMAXPS  Y15, Y4, Y4
	VMAXPS  Y15, Y5, Y5
	VMAXPS  Y15, Y6, Y6
	VMAXPS  Y15, Y7, Y7
	LEAQ    (DI)(R8*1), R12
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, (R12)
	VMOVUPS Y5, 32(R12)
	VMOVUPS Y6, 64(R12)
	VMOVUPS Y7, 96(R12)
	ADDQ    $128, DI
	ADDQ    $128, BX
	DECQ    R9
	JNZ     rows
	VZEROUPPER
	RET

// func gemm4(y, w, x, b *float32, blocks, n int, floor float32, yStep, xStep int)
TEXT ·gemm4(SB), NOSPLIT, $0-72
	LOAD
	MOVQ yStep+56(FP), R8
	MOVQ xStep+64(FP), R11
	SHLQ $2, R8
	SHLQ $2, R11

rows:
	VMOVUPS (BX), Y0
	VMOVUPS 32(BX), Y1
	VMOVUPS Y0, Y2
	VMOVUPS Y1, Y3
	VMOVUPS Y0, Y4
	VMOVUPS Y1, Y5
	VMOVUPS Y0, Y6
	VMOVUPS Y1, Y7
	MOVQ    DX, R12
	LEAQ    (DX)(R11*2), R13
	MOVQ    R10, CX

inputs:
	VMOVUPS      (SI), Y8
	VMOVUPS      32(SI), Y9
	VBROADCASTSS (R12), Y10
	VBROADCASTSS (R12)(R11*1), Y11
	VBROADCASTSS (R13), Y12
	VBROADCASTSS (R13)(R11*1), Y13
	VFMADD231PS  Y8, Y10, Y0
	VFMADD231PS  Y9, Y10, Y1
	VFMADD231PS  Y8, Y11, Y2
	VFMADD231PS  Y9, Y11, Y3
	VFMADD231PS  Y8, Y12, Y4
	VFMADD231PS  Y9, Y12, Y5
	VFMADD231PS  Y8, Y13, Y6
	VFMADD231PS  Y9, Y13, Y7
	ADDQ         $4, R12
	ADDQ         $4, R13
	ADDQ         $64, SI
	DECQ         CX
	JNZ          inputs

	VMAXPS  Y15, Y0, Y0
	VMAXPS  Y15, Y1, Y1
	VMAXPS  Y15, Y2, Y2
	VMAXPS  Y15, Y3, Y3
	VMAXPS  Y15, Y4, Y4
	VMAXPS  Y15, Y5, Y5
	VMAXPS  Y15, Y6, Y6
	VMAXPS  Y15, Y7, Y7
	LEAQ    (DI)(R8*2), R12
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, (DI)(R8*1)
	VMOVUPS Y3, 32(DI)(R8*1)
	VMOVUPS Y4, (R12)
	VMOVUPS Y5, 32(R12)
	VMOVUPS Y6, (R12)(R8*1)
	VMOVUPS Y7, 32(R12)(R8*1)
	ADDQ    $64, DI
	ADDQ    $64, BX
	DECQ    R9
	JNZ     rows
	VZEROUPPER
	RET

// The constants of exp, see kernel.go, each in eight lanes.
#define LANES(at, v) \
	DATA lanes<>+(at+0)(SB)/4, v;  \
	DATA lanes<>+(at+4)(SB)/4, v;  \
	DATA lanes<>+(at+8)(SB)/4, v;  \
	DATA lanes<>+(at+12)(SB)/4, v; \
	DATA lanes<>+(at+16)(SB)/4, v; \
	DATA lanes<>+(at+20)(SB)/4, v; \
	DATA lanes<>+(at+24)(SB)/4, v; \
	DATA lanes<>+(at+28)(SB)/4, v

LANES(0, $0x42b00000)   // 88
LANES(32, $0xc2ae0000)  // -87
LANES(64, $0x3fb8aa3b)  // 1/ln 2
LANES(96, $0x3f318000)  // ln 2, its first digits
LANES(128, $0xb95e8083) // and what they are short of
LANES(160, $0x39506967) // the polynomial
LANES(192, $0x3ab743ce)
LANES(224, $0x3c088908)
LANES(256, $0x3d2aa9c1)
LANES(288, $0x3e2aaaaa)
LANES(320, $0x3f000000)
LANES(352, $0x3f800000) // 1
LANES(384, $127)
LANES(416, $0xbf800000) // -1
LANES(448, $0xc0000000) // -2
GLOBL lanes<>(SB), RODATA, $480

#define MOST lanes<>+0(SB)
#define LEAST lanes<>+32(SB)
#define LOG2E lanes<>+64(SB)
#define LN2 lanes<>+96(SB)
#define LN2REST lanes<>+128(SB)
#define ONE lanes<>+352(SB)
#define BIAS lanes<>+384(SB)
#define MINUS1 lanes<>+416(SB)
#define MINUS2 lanes<>+448(SB)

// SQUASH makes 1 / (1 + e^(scale v)) of v: sigmoid with a scale of -1, (tanh + 1) / 2 with -2.
#define SQUASH(scale, v) \
	VMULPS       scale, v, v;                \
	VMINPS       MOST, v, v;                 \
	VMAXPS       LEAST, v, v;                \
	VMULPS       LOG2E, v, Y12;              \
	VROUNDPS     $0, Y12, Y12;               \
	VFNMADD231PS LN2, Y12, v;                \
	VFNMADD231PS LN2REST, Y12, v;            \
	VMOVUPS      lanes<>+160(SB), Y13;       \
	VFMADD213PS  lanes<>+192(SB), v, Y13;    \
	VFMADD213PS  lanes<>+224(SB), v, Y13;    \
	VFMADD213PS  lanes<>+256(SB), v, Y13;    \
	VFMADD213PS  lanes<>+288(SB), v, Y13;    \
	VFMADD213PS  lanes<>+320(SB), v, Y13;    \
	VMULPS       v, v, Y14;                  \
	VFMADD213PS  v, Y14, Y13;                \
	VADDPS       ONE, Y13, Y13;              \
	VCVTPS2DQ    Y12, Y12;                   \
	VPADDD       BIAS, Y12, Y12;             \
	VPSLLD       $23, Y12, Y12;              \
	VFMADD213PS  ONE, Y12, Y13;              \
	VMOVUPS      ONE, v;                     \
	VDIVPS       Y13, v, v

// TANH turns the 1 / (1 + e^-2v) that SQUASH made into the tanh of v.
#define TANH(v) \
	VADDPS v, v, v; \
	VADDPS MINUS1, v, v

// func cellAVX2(gates, cell, out, dec *float32) float32
TEXT ·cellAVX2(SB), NOSPLIT, $0-36
	MOVQ gates+0(FP), SI
	MOVQ cell+8(FP), DX
	MOVQ out+16(FP), DI
	MOVQ dec+24(FP), BX
	MOVQ $16, CX        // times 8 is hidden
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

units:
	VMOVUPS (SI), Y0     // input gate
	VMOVUPS 512(SI), Y1  // forget gate
	VMOVUPS 1024(SI), Y2 // what is new
	VMOVUPS 1536(SI), Y3 // output gate
	SQUASH(MINUS1, Y0)
	SQUASH(MINUS1, Y1)
	SQUASH(MINUS2, Y2)
	SQUASH(MINUS1, Y3)
	TANH(Y2)
	VMULPS      (DX), Y1, Y1
	VFMADD231PS Y0, Y2, Y1
	VMOVUPS     Y1, (DX)
	SQUASH(MINUS2, Y1)
	TANH(Y1)
	VMULPS      Y3, Y1, Y1
	VMOVUPS     Y1, (DI)
	VMAXPS      Y10, Y1, Y1
	VFMADD231PS (BX), Y1, Y11
	ADDQ        $32, SI
	ADDQ        $32, DX
	ADDQ        $32, DI
	ADDQ        $32, BX
	DECQ        CX
	JNZ         units

	VEXTRACTF128 $1, Y11, X10
	VADDPS       X10, X11, X11
	VHADDPS      X11, X11, X11
	VHADDPS      X11, X11, X11
	VMOVSS       X11, ret+32(FP)
	VZEROUPPER
	RET

// func magnitudesAVX2(out, re, im *float32)
TEXT ·magnitudesAVX2(SB), NOSPLIT, $0-24
	MOVQ out+0(FP), DI
	MOVQ re+8(FP), SI
	MOVQ im+16(FP), DX
	MOVQ $8, CX        // times 8 is half

bins:
	VMOVUPS     (SI), Y0
	VMOVUPS     (DX), Y1
	VMULPS      Y0, Y0, Y0
	VFMADD231PS Y1, Y1, Y0
	VSQRTPS     Y0, Y0
	VMOVUPS     Y0, (DI)
	ADDQ        $32, SI
	ADDQ        $32, DX
	ADDQ        $32, DI
	DECQ        CX
	JNZ         bins
	VZEROUPPER
	RET
