//go:build amd64 && !purego

#include "textflag.h"

// func gemvAVX2(y, w, x, b *float32, blocks, n int)
//
// Y0 to Y3 hold the sums of 4 x 8 rows; SI, BX, R12 and R13 walk their 4 blocks of w.
TEXT ·gemvAVX2(SB), NOSPLIT, $0-48
	MOVQ y+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ b+24(FP), R8
	MOVQ blocks+32(FP), R9
	MOVQ n+40(FP), R10
	MOVQ R10, R11
	SHLQ $5, R11             // bytes of one 8-row block

rows:
	VMOVUPS (R8), Y0
	VMOVUPS 32(R8), Y1
	VMOVUPS 64(R8), Y2
	VMOVUPS 96(R8), Y3
	LEAQ    (SI)(R11*1), BX
	LEAQ    (BX)(R11*1), R12
	LEAQ    (R12)(R11*1), R13
	XORQ    AX, AX           // offset in a block
	MOVQ    DX, CX           // next x

columns:
	VBROADCASTSS (CX), Y4
	VFMADD231PS  (SI)(AX*1), Y4, Y0
	VFMADD231PS  (BX)(AX*1), Y4, Y1
	VFMADD231PS  (R12)(AX*1), Y4, Y2
	VFMADD231PS  (R13)(AX*1), Y4, Y3
	ADDQ         $4, CX
	ADDQ         $32, AX
	CMPQ         AX, R11
	JLT          columns

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, R8
	LEAQ    (R13)(R11*1), SI
	DECQ    R9
	JNZ     rows
	VZEROUPPER
	RET
