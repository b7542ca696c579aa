package appointments

// What the tests of this package see of it.
const AppointmentsInCall = appointmentsInCall
