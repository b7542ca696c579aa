package doctor

// kernelShare is how much more Linux says of a socket's buffer: half of it is for its own notes (socket(7)).
const kernelShare = 2
