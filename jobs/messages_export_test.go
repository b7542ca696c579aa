package jobs

// What the tests of this package see of it.
const SMSClaim = smsClaim
