package messages

// What the tests of this package see of it.
const SMSClaim = smsClaim

var (
	MailBackoff = mailBackoff
	SMSBackoff  = smsBackoff
)
