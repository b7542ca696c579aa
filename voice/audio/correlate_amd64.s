//go:build amd64 && !purego

#include "textflag.h"

// func correlateAVX2(y, p, x *float32, blocks, n int)
//
// Y0 to Y7 hold the sums of 8 lags each, as many as it takes to start two multiplications per cycle.
TEXT ·correlateAVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ p+8(FP), SI
	MOVQ x+16(FP), DX
	MOVQ blocks+24(FP), R9
	MOVQ n+32(FP), R10

lags:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, R8
	MOVQ   DX, R11
	MOVQ   R10, CX

samples:
	VBROADCASTSS (R11), Y8
	VFMADD231PS  (R8), Y8, Y0
	VFMADD231PS  32(R8), Y8, Y1
	VFMADD231PS  64(R8), Y8, Y2
	VFMADD231PS  96(R8), Y8, Y3
	VFMADD231PS  128(R8), Y8, Y4
	VFMADD231PS  160(R8), Y8, Y5
	VFMADD231PS  192(R8), Y8, Y6
	VFMADD231PS  224(R8), Y8, Y7
	ADDQ         $4, R8
	ADDQ         $4, R11
	DECQ         CX
	JNZ          samples

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ    $256, DI
	ADDQ    $256, SI
	DECQ    R9
	JNZ     lags
	VZEROUPPER
	RET
