// WASI has no setjmp. Flite jumps only where its caller has set cst_errjmp, which ours does not: its errors end the program.
#pragma once
#include <stdlib.h>
typedef int jmp_buf[1];
#define longjmp(environment, value) abort()
