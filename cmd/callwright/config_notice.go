package main

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/callwright/callwright/providers/mail"
	maillog "github.com/callwright/callwright/providers/mail/log"
	"github.com/callwright/callwright/providers/mail/smtp"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/sms"
	smslog "github.com/callwright/callwright/providers/sms/log"
	smstelnyx "github.com/callwright/callwright/providers/sms/telnyx"
	"github.com/callwright/callwright/providers/sms/twilio"
)

// smsFlags choose who carries text messages. Those of test calls go to the log whatever is chosen.
type smsFlags struct {
	SMS        string `help:"Who carries text messages: ${enum}. log writes them to the log, none sends none." name:"sms" enum:"log,telnyx,twilio,none" default:"log" env:"CALLWRIGHT_SMS" group:"Text messages"`
	SMSKey     string `help:"API key there; Twilio's auth token." name:"sms-key" env:"CALLWRIGHT_SMS_KEY" group:"Text messages"`
	SMSAccount string `help:"Twilio's account SID." name:"sms-account" env:"CALLWRIGHT_SMS_ACCOUNT" placeholder:"SID" group:"Text messages"`
	SMSFrom    string `help:"Sender: a number, a name of up to 11 letters and digits, or Twilio's messaging service." name:"sms-from" env:"CALLWRIGHT_SMS_FROM" group:"Text messages"`
	SMSProfile string `help:"Telnyx's messaging profile; a sender that is a name needs one." name:"sms-profile" env:"CALLWRIGHT_SMS_PROFILE" placeholder:"ID" group:"Text messages"`
	SMSURL     string `help:"Address of its API, where it is not the usual one." name:"sms-url" env:"CALLWRIGHT_SMS_URL" placeholder:"URL" group:"Text messages"`
}

func (f smsFlags) texts(logger *slog.Logger) (sms.Sender, error) {
	remote := f.SMS == "telnyx" || f.SMS == "twilio"
	if remote && (f.SMSKey == "" || f.SMSFrom == "") || f.SMS == "twilio" && f.SMSAccount == "" {
		return nil, fmt.Errorf("--sms=%s: needs --sms-key and --sms-from too, and twilio --sms-account", f.SMS)
	}
	switch f.SMS {
	case "telnyx":
		return smstelnyx.New(smstelnyx.Config{BaseURL: f.SMSURL, APIKey: f.SMSKey, From: f.SMSFrom, Profile: f.SMSProfile,
			HTTP: openaihttp.NewClient()}), nil
	case "twilio":
		return twilio.New(twilio.Config{BaseURL: f.SMSURL, AccountSID: f.SMSAccount, AuthToken: f.SMSKey, From: f.SMSFrom,
			HTTP: openaihttp.NewClient()}), nil
	case "none":
		return sms.Off{}, nil
	}
	return smslog.New(logger), nil
}

// mailCarrierFlags say who carries mail.
type mailCarrierFlags struct {
	Mail string `help:"Who carries mail: ${enum}. log writes it to the log, none sends no mail." enum:"smtp,log,none" default:"smtp" env:"CALLWRIGHT_MAIL" group:"Mail"`
}

// mails reports whether mail reaches people.
func (f mailCarrierFlags) mails() bool { return f.Mail == "smtp" }

// mailFlags configure who carries mail.
type mailFlags struct {
	mailCarrierFlags
	SMTPURL  string `help:"Mail server: smtp://USER:PASSWORD@HOST:PORT with STARTTLS, or smtps://." name:"smtp-url" env:"CALLWRIGHT_SMTP_URL" placeholder:"URL" group:"Mail"`
	MailFrom string `help:"Sender of mail, NAME <ADDRESS>." env:"CALLWRIGHT_MAIL_FROM" placeholder:"ADDRESS" group:"Mail"`
}

// sender refuses to run without a mail server unless that is said: customers' mail would be lost in silence.
func (f mailFlags) sender(logger *slog.Logger) (mail.Sender, error) {
	switch f.Mail {
	case "log":
		return maillog.New(logger), nil
	case "none":
		return mail.Off{}, nil
	}
	if f.SMTPURL == "" || f.MailFrom == "" {
		return nil, errors.New("--smtp-url and --mail-from: no mail server is configured; give both, or say --mail=log or --mail=none")
	}
	sender, err := smtp.New(smtp.Config{URL: f.SMTPURL, From: f.MailFrom})
	if err != nil {
		return nil, fmt.Errorf("--smtp-url and --mail-from: %w", err)
	}
	return sender, nil
}
