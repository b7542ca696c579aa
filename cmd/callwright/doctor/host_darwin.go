package doctor

const kernelShare = 1
