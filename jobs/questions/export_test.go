package questions

// ErrArguments is for the tests of this package.
const ErrArguments = errArguments
