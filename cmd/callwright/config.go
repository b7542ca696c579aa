package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/maintenance"
	"github.com/callwright/callwright/providers/all"
	"github.com/callwright/callwright/providers/embed"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/s3"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/llm"
	"github.com/callwright/callwright/providers/mail"
	maillog "github.com/callwright/callwright/providers/mail/log"
	"github.com/callwright/callwright/providers/mail/smtp"
	"github.com/callwright/callwright/providers/openaihttp"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/scan/clamd"
	"github.com/callwright/callwright/providers/sms"
	smslog "github.com/callwright/callwright/providers/sms/log"
	smstelnyx "github.com/callwright/callwright/providers/sms/telnyx"
	"github.com/callwright/callwright/providers/sms/twilio"
	"github.com/callwright/callwright/providers/telco"
	simcarrier "github.com/callwright/callwright/providers/telco/simulated"
	"github.com/callwright/callwright/providers/telco/telnyx"
	"github.com/callwright/callwright/voice/sip"
	"github.com/callwright/callwright/worker"
	"github.com/callwright/callwright/worker/gateways"
)

// This file is the only reader of the environment: every setting is a flag here, with its variable beside it.

// databaseFlags choose the database.
type databaseFlags struct {
	DatabaseURL string `help:"Postgres to work on, 15 or newer. Workers and migrate need a direct connection; everything else may go through a pooler such as PgBouncer." required:"" env:"DATABASE_URL" placeholder:"URL"`
}

func (f databaseFlags) open(ctx context.Context, maxConns int32) (*pgxpool.Pool, error) {
	if f.DatabaseURL == "" { // Postgres's own library would take that for a local server
		return nil, errors.New("--database-url (DATABASE_URL) is empty")
	}
	pool, err := db.Open(ctx, f.DatabaseURL, maxConns)
	if err != nil {
		return nil, fmt.Errorf("--database-url (DATABASE_URL): %w", err)
	}
	return pool, nil
}

// openMigrated is open for commands that need the schema to be there.
func (f databaseFlags) openMigrated(ctx context.Context, maxConns int32) (*pgxpool.Pool, error) {
	pool, err := f.open(ctx, maxConns)
	if err != nil {
		return nil, err
	}
	if err := db.CheckMigrated(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// poolSize is what is left of a process's connections for its pool.
func poolSize(conns, own int32) (int32, error) {
	if least := own + 2; conns < least {
		return 0, fmt.Errorf("--database-conns: this command takes at least %d", least)
	}
	return conns - own, nil
}

// checkDirect fails for commands that need sessions of their own where a connection pooler hands them out.
func checkDirect(ctx context.Context, pool *pgxpool.Pool) error {
	if err := db.CheckDirect(ctx, pool); err != nil {
		return fmt.Errorf("--database-url: %w: give this command the address of Postgres itself", err)
	}
	return nil
}

// sealFlags give the keys under which secrets are kept.
type sealFlags struct {
	SealKeys string `help:"Keys that seal secrets at rest, ID:BASE64, comma-separated; the first seals, all open. Make one with: callwright seal generate." required:"" env:"CALLWRIGHT_SEAL_KEYS" placeholder:"KEYS"`
}

func (f sealFlags) box() (*seal.Box, error) {
	keys, err := seal.ParseKeys(f.SealKeys)
	if err != nil {
		return nil, fmt.Errorf("--seal-keys: %w", err)
	}
	return seal.New(keys...)
}

// useSealKeys fails when the keys of box are not those of the database.
func useSealKeys(ctx context.Context, pool *pgxpool.Pool, box *seal.Box) error {
	if err := db.UseSealKeys(ctx, pool, box); err != nil {
		return fmt.Errorf("--seal-keys: %w", err)
	}
	return nil
}

// reportProcess is useSealKeys for a process of that kind, and says that it runs until the returned function is called.
func reportProcess(ctx context.Context, pool *pgxpool.Pool, box *seal.Box, kind string) (silence func(), err error) {
	if err := useSealKeys(ctx, pool, box); err != nil {
		return nil, err
	}
	return db.ReportProcess(ctx, pool, kind, box.KeyID())
}

// fileFlags choose where recordings and documents are kept.
type fileFlags struct {
	FilesDir   string `help:"Folder for recordings and documents. Every API and worker process must see the same one. With S3, for recordings that are being written: each host has its own. Default: ${default}." default:"${files_dir}" env:"CALLWRIGHT_FILES_DIR" placeholder:"DIR" group:"Files"`
	S3Endpoint string `help:"S3, or a server that speaks as it does, in place of the folder; needs a bucket too." name:"s3-endpoint" env:"CALLWRIGHT_S3_ENDPOINT" placeholder:"URL" group:"Files"`
	S3Bucket   string `help:"Bucket, which must exist." name:"s3-bucket" env:"CALLWRIGHT_S3_BUCKET" group:"Files"`
	S3Region   string `help:"Region of the bucket, where the server does not say." name:"s3-region" env:"CALLWRIGHT_S3_REGION" group:"Files"`
	S3KeyID    string `help:"Access key id." name:"s3-key-id" env:"CALLWRIGHT_S3_KEY_ID" group:"Files"`
	S3Secret   string `help:"Secret access key." name:"s3-secret" env:"CALLWRIGHT_S3_SECRET" group:"Files"`
}

func (f fileFlags) store() (files.Store, error) {
	if f.S3Endpoint == "" && f.S3Bucket != "" {
		return nil, errors.New("--s3-bucket (CALLWRIGHT_S3_BUCKET): needs --s3-endpoint too, such as https://s3.eu-central-1.amazonaws.com")
	}
	if f.S3Endpoint == "" {
		store, err := dir.Open(f.FilesDir)
		if err != nil {
			return nil, fmt.Errorf("--files-dir (CALLWRIGHT_FILES_DIR): %w", err)
		}
		return store, nil
	}
	if f.S3Bucket == "" {
		return nil, errors.New("--s3-endpoint: needs --s3-bucket too")
	}
	store, err := s3.Open(s3.Config{
		Endpoint: f.S3Endpoint, Bucket: f.S3Bucket, Region: f.S3Region, KeyID: f.S3KeyID, Secret: f.S3Secret,
		Drafts: filepath.Join(f.FilesDir, "drafts"),
	})
	if err != nil {
		return nil, fmt.Errorf("--s3-endpoint: %w", err)
	}
	return store, nil
}

// carrierFlags choose who sells numbers. Test keys use the simulated carrier whatever is chosen.
type carrierFlags struct {
	NumberCarrier           string `help:"Who sells numbers: ${enum}." enum:"simulated,telnyx" default:"simulated" env:"CALLWRIGHT_CARRIER" group:"Numbers"`
	NumberCarrierKey        string `help:"Its API key." env:"CALLWRIGHT_CARRIER_KEY" group:"Numbers"`
	NumberCarrierURL        string `help:"Address of its API, where it is not the usual one." name:"number-carrier-url" env:"CALLWRIGHT_CARRIER_URL" placeholder:"URL" group:"Numbers"`
	NumberCarrierConnection string `help:"Id of the SIP connection there that bought numbers are bound to." env:"CALLWRIGHT_CARRIER_CONNECTION" group:"Numbers"`
}

func (f carrierFlags) carriers(pool *pgxpool.Pool) (telco.Carriers, error) {
	dutch := telco.NewDutch()
	carriers := telco.Carriers{Simulated: simcarrier.New(pool, time.Now, dutch)}
	carriers.Live = carriers.Simulated
	if f.NumberCarrier == "telnyx" {
		if f.NumberCarrierKey == "" {
			return carriers, errors.New("--number-carrier=telnyx: needs --number-carrier-key too")
		}
		carriers.Live = telnyx.New(telnyx.Config{
			BaseURL: f.NumberCarrierURL, APIKey: f.NumberCarrierKey, ConnectionID: f.NumberCarrierConnection, HTTP: openaihttp.NewClient(),
		}, dutch)
	}
	return carriers, nil
}

// carrierHookFlags are for the process that takes the webhooks of the carrier.
type carrierHookFlags struct {
	NumberCarrierPublicKey string `help:"Telnyx's public key, in base64; with it, its webhooks are taken at /carrier/telnyx/webhook." env:"CALLWRIGHT_CARRIER_PUBLIC_KEY" group:"Numbers"`
}

func (f carrierHookFlags) webhook() (*telnyx.Webhook, error) {
	if f.NumberCarrierPublicKey == "" {
		return nil, nil
	}
	webhook, err := telnyx.NewWebhook(f.NumberCarrierPublicKey, time.Now)
	if err != nil {
		return nil, fmt.Errorf("--number-carrier-public-key: %w", err)
	}
	return webhook, nil
}

// scanFlags choose who looks for viruses in uploaded documents.
type scanFlags struct {
	Clamd string `help:"ClamAV's daemon, HOST:PORT or the path of its socket; without one, documents are not scanned." env:"CALLWRIGHT_CLAMD" placeholder:"ADDRESS" group:"Files"`
}

func (f scanFlags) scanner() scan.Scanner {
	if f.Clamd == "" {
		return scan.None{}
	}
	return clamd.New(f.Clamd)
}

// corsFlags say which pages of other origins may ask the API.
type corsFlags struct {
	CORSOrigins []string `name:"cors-origins" help:"Origins whose web pages may call the API, such as https://app.example.com, or * for all. Default: none but our own." env:"CALLWRIGHT_CORS_ORIGINS" placeholder:"ORIGIN"`
}

// origins are as a browser writes them (RFC 6454, section 6.2): anything else would never match.
func (f corsFlags) origins() ([]string, error) {
	for _, origin := range f.CORSOrigins {
		parsed, err := url.Parse(origin)
		whole := err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != "" &&
			parsed.Scheme+"://"+parsed.Host == origin
		if origin != "*" && !whole {
			return nil, fmt.Errorf("--cors-origins: %q is not SCHEME://HOST[:PORT]", origin)
		}
	}
	return f.CORSOrigins, nil
}

// publicFlags say where the deployment is.
type publicFlags struct {
	PublicURL string `help:"Address at which customers reach the API and the dashboard; links and recordings are named below it. With https, sessions travel over https alone. Default: ${default}." default:"http://127.0.0.1:8080" env:"CALLWRIGHT_PUBLIC_URL" placeholder:"URL"`
}

// public returns the address without a slash at its end.
func (f publicFlags) public() (string, error) {
	if parsed, err := url.Parse(f.PublicURL); err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return "", fmt.Errorf("--public-url (CALLWRIGHT_PUBLIC_URL): %q is not http:// or https:// and a host", f.PublicURL)
	}
	return strings.TrimRight(f.PublicURL, "/"), nil
}

// minOperatorPassword is how many characters the operator's password has at least.
const minOperatorPassword = 12

// operatorFlags are who opens the operator's pages.
type operatorFlags struct {
	OperatorPassword string         `help:"Password of River UI at /ops/, user operator, of 12 characters or more." required:"" env:"CALLWRIGHT_OPERATOR_PASSWORD"`
	TrustedProxies   []netip.Prefix `help:"Networks of reverse proxies whose X-Forwarded-For names the client. Without them all clients behind one proxy wait together after wrong passwords." env:"CALLWRIGHT_TRUSTED_PROXIES" placeholder:"CIDR"`
}

func (f operatorFlags) checkPassword() error {
	if length := utf8.RuneCountInString(f.OperatorPassword); length < minOperatorPassword {
		return fmt.Errorf("--operator-password (CALLWRIGHT_OPERATOR_PASSWORD) has %d characters: it needs %d or more", length,
			minOperatorPassword)
	}
	return nil
}

// hookFlags bound what may be reached at addresses that customers give.
type hookFlags struct {
	AllowNetworks []netip.Prefix `help:"Networks that customers' URLs may point into besides public ones, such as 10.1.0.0/16." env:"CALLWRIGHT_ALLOW_NETWORKS" placeholder:"CIDR"`
}

func (f hookFlags) client() *hook.Client {
	return hook.New(hook.Config{Allow: f.AllowNetworks, UserAgent: userAgent()})
}

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

// speechFlags choose who thinks, listens and speaks. Each family has its own server, and one that stands in where that
// fails.
type speechFlags struct {
	LLM serviceFlags `embed:"" prefix:"llm-" envprefix:"CALLWRIGHT_LLM_" set:"vendors=${llms}" group:"Language model"`
	STT serviceFlags `embed:"" prefix:"stt-" envprefix:"CALLWRIGHT_STT_" set:"vendors=${stts}" group:"Speech recognition"`
	TTS voiceFlags   `embed:"" prefix:"tts-" envprefix:"CALLWRIGHT_TTS_" set:"vendors=${ttss}" group:"Speech synthesis"`

	LLM2 serviceFlags `embed:"" prefix:"llm-2-" envprefix:"CALLWRIGHT_LLM_2_" set:"vendors=${llms_2}" group:"Second language model"`
	STT2 serviceFlags `embed:"" prefix:"stt-2-" envprefix:"CALLWRIGHT_STT_2_" set:"vendors=${stts_2}" group:"Second speech recognition"`
	TTS2 voiceFlags   `embed:"" prefix:"tts-2-" envprefix:"CALLWRIGHT_TTS_2_" set:"vendors=${ttss_2}" group:"Second speech synthesis"`
}

type serviceFlags struct {
	Provider string `help:"Vendor: ${vendors}." env:"PROVIDER"`
	BaseURL  string `help:"Address of the vendor's API, where it is not the usual one." env:"BASE_URL" placeholder:"URL"`
	Key      string `help:"Its key." env:"KEY"`
	Model    string `help:"Model where the assistant names none." env:"MODEL"`
}

type voiceFlags struct {
	serviceFlags
	Voice string `help:"Voice where the assistant names none." env:"VOICE"`
}

func (f voiceFlags) settings() []all.Settings {
	settings := f.serviceFlags.settings()
	if len(settings) > 0 {
		settings[0].Voice = f.Voice
	}
	return settings
}

// nameSetting has the error of a vendor's setting begin with the flag and the variable that give it.
func nameSetting(err error) error {
	wrong, ok := errors.AsType[*all.SettingError](err)
	if !ok {
		return err
	}
	names := map[string]string{"BaseURL": "base-url", "APIKey": "key"}
	flag := strings.TrimSuffix(strings.ToLower(wrong.Family), "ding") // embedding: --embed-key
	if wrong.Choice > 0 {
		flag += fmt.Sprintf("-%d", wrong.Choice+1)
	}
	flag += "-" + cmp.Or(names[wrong.Setting], strings.ToLower(wrong.Setting))
	return fmt.Errorf("--%s (CALLWRIGHT_%s): %w", flag, strings.ToUpper(strings.ReplaceAll(flag, "-", "_")), err)
}

// vendors are what the help says of who can think, listen and speak, and of what happens where nobody is chosen.
func vendors() kong.Vars {
	vars := kong.Vars{}
	for family, names := range map[string]string{
		"llms": vendorNames(all.LLMs()), "stts": vendorNames(all.STTs()), "ttss": vendorNames(all.TTSs()),
	} {
		vars[family] = names + ". Default: the local one, which needs no key"
		vars[family+"_2"] = names + ". It stands in where the first one fails; default: nobody does"
	}
	return vars
}

func vendorNames[P any](vendors []all.Vendor[P]) string {
	var names []string
	for _, vendor := range vendors {
		names = append(names, vendor.Name)
	}
	return strings.Join(names, ", ")
}

// settings are none when nothing was chosen, which means the local default.
func (f serviceFlags) settings() []all.Settings {
	if f == (serviceFlags{}) {
		return nil
	}
	return []all.Settings{{Provider: f.Provider, BaseURL: f.BaseURL, APIKey: f.Key, Model: f.Model}}
}

// model is the chosen language model, nil when none was chosen: then nothing that needs to understand a text is done.
func (f serviceFlags) model(logger *slog.Logger) (llm.Provider, error) {
	if f == (serviceFlags{}) {
		return nil, nil
	}
	providers, err := all.New(all.Speech{LLM: f.settings()}, logger)
	if err != nil {
		return nil, nameSetting(err)
	}
	model, _ := providers.LLM("")
	return model, nil
}

// retentionFlags say for how long things are kept.
type retentionFlags struct {
	Retention map[string]int `help:"Days that transcripts, recordings, events, calls and the audit are kept where an account has none of its own; what is not named, or 0, for ever." mapsep:"," default:"events=90" env:"CALLWRIGHT_RETENTION" placeholder:"NAME=DAYS"`
}

func (f retentionFlags) retention() (maintenance.Retention, error) {
	parsed, err := maintenance.ParseRetention(f.Retention)
	if err != nil {
		return parsed, fmt.Errorf("--retention: %w", err)
	}
	return parsed, nil
}

// embedFlags choose an embedding model, with which knowledge bases are searched by meaning too.
type embedFlags struct {
	EmbedProvider   string `help:"Vendor of the embedding model with which knowledge bases are searched by meaning; default: none, they are searched by words. Known: ${embedders}." env:"CALLWRIGHT_EMBED_PROVIDER" group:"Embeddings"`
	EmbedBaseURL    string `help:"Address of the vendor's API, where it is not the usual one." name:"embed-base-url" env:"CALLWRIGHT_EMBED_BASE_URL" placeholder:"URL" group:"Embeddings"`
	EmbedKey        string `help:"Its key." env:"CALLWRIGHT_EMBED_KEY" group:"Embeddings"`
	EmbedModel      string `help:"Model. With another one, all knowledge bases are embedded anew." env:"CALLWRIGHT_EMBED_MODEL" group:"Embeddings"`
	EmbedDimensions int    `help:"Length of its vectors, where it leaves a choice." env:"CALLWRIGHT_EMBED_DIMENSIONS" group:"Embeddings"`
}

// embedder is nil when none was chosen.
func (f embedFlags) embedder() (embed.Provider, error) {
	if f == (embedFlags{}) {
		return nil, nil
	}
	model, err := all.Embedder(all.Settings{Provider: f.EmbedProvider, BaseURL: f.EmbedBaseURL, APIKey: f.EmbedKey,
		Model: f.EmbedModel, Dimensions: f.EmbedDimensions})
	return model, nameSetting(err)
}

// carrierHostFlags say who the carrier is, where calls leave and where customers' SIP connections may not lead.
type carrierHostFlags struct {
	TrunkPeers []netip.Prefix `help:"Networks from which calls are taken besides the addresses of the carrier's proxy." env:"CALLWRIGHT_TRUNK_PEERS" placeholder:"CIDR" group:"Carrier"`
	TrunkProxy string         `help:"Carrier's SIP proxy, HOST:PORT. Without one, calls leave over customers' SIP connections and the simulated network alone." env:"CALLWRIGHT_TRUNK_PROXY" placeholder:"HOST:PORT" group:"Carrier"`
}

// sipFlags are our side of live calls, and the carrier's SIP connection over which they leave.
type sipFlags struct {
	carrierHostFlags
	SIPListen          string         `help:"Address and UDP port of our side of live calls. Default with a trunk: 0.0.0.0:5060; without one, no live calls." env:"CALLWRIGHT_SIP_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTCPListen       string         `help:"Address and port at which SIP over TCP is accepted." name:"sip-tcp-listen" env:"CALLWRIGHT_SIP_TCP_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTLSListen       string         `help:"Address and port at which SIP over TLS is accepted." name:"sip-tls-listen" env:"CALLWRIGHT_SIP_TLS_LISTEN" placeholder:"HOST:PORT" group:"Carrier"`
	SIPTLSCert         string         `help:"Our certificate for SIP over TLS, PEM." name:"sip-tls-cert" env:"CALLWRIGHT_SIP_TLS_CERT" placeholder:"FILE" group:"Carrier"`
	SIPTLSKey          string         `help:"Its key, PEM." name:"sip-tls-key" env:"CALLWRIGHT_SIP_TLS_KEY" placeholder:"FILE" group:"Carrier"`
	SIPTLSRoots        string         `help:"Authorities that vouch for carriers, PEM; default: the system's." name:"sip-tls-roots" env:"CALLWRIGHT_SIP_TLS_ROOTS" placeholder:"FILE" group:"Carrier"`
	RegistersPerSecond int            `help:"REGISTER requests for customers' SIP connections that leave this process a second, at most." name:"sip-registrations-per-second" default:"50" env:"CALLWRIGHT_SIP_REGISTRATIONS_PER_SECOND" group:"Carrier"`
	PublicIP           ipAddress      `help:"IP address at which others reach this machine; default: the one from which it reaches the carrier." env:"CALLWRIGHT_PUBLIC_IP" placeholder:"IP" group:"Carrier"`
	RTPPorts           string         `help:"First and last UDP port for sound; default: ${default}." default:"10000-19999" env:"CALLWRIGHT_RTP_PORTS" placeholder:"FIRST-LAST" group:"Carrier"`
	TrunkMedia         []netip.Prefix `help:"Networks that the sound of the carrier's calls comes from and goes to. Default: wherever its signalling says." env:"CALLWRIGHT_TRUNK_MEDIA" placeholder:"CIDR" group:"Carrier"`

	TrunkTransport string `help:"How SIP travels to it: ${enum}." enum:"udp,tcp,tls" default:"udp" env:"CALLWRIGHT_TRUNK_TRANSPORT" group:"Carrier"`
	TrunkSRTP      string `help:"Encryption of the sound of calls that leave over it: ${enum}. optional prefers it and goes without where the carrier does; its keys are as secret as the signalling, so required belongs with tls." enum:"off,optional,required" default:"optional" name:"trunk-srtp" env:"CALLWRIGHT_TRUNK_SRTP" group:"Carrier"`
	TrunkDomain    string `help:"SIP domain, where it is not the proxy's host." env:"CALLWRIGHT_TRUNK_DOMAIN" group:"Carrier"`
	TrunkUsername  string `help:"SIP user name." env:"CALLWRIGHT_TRUNK_USERNAME" group:"Carrier"`
	TrunkTransfer  string `help:"How callers are put through who are not announced: ${enum}. refer asks the carrier, bridge has us ring and join both, auto does so where the carrier refuses." enum:"auto,refer,bridge" default:"auto" env:"CALLWRIGHT_TRUNK_TRANSFER" group:"Carrier"`
	TrunkPassword  string `help:"SIP password." env:"CALLWRIGHT_TRUNK_PASSWORD" group:"Carrier"`
}

// defaultSIPListen is our side of live calls where there is a trunk.
const defaultSIPListen = "0.0.0.0:5060"

// webFlags are where browsers reach a worker.
type webFlags struct {
	WebListen    string `help:"Address and UDP port of all calls of browsers, such as 0.0.0.0:7882, at --public-ip where that is given. Without it and --web-tcp-listen, no web calls." env:"CALLWRIGHT_WEB_LISTEN" placeholder:"HOST:PORT" group:"Web calls"`
	WebTCPListen string `help:"Address and TCP port for browsers whose network lets no UDP through." name:"web-tcp-listen" env:"CALLWRIGHT_WEB_TCP_LISTEN" placeholder:"HOST:PORT" group:"Web calls"`
}

// web is nil when there are no web calls.
func (f webFlags) web(public netip.Addr) *gateways.Web {
	if f == (webFlags{}) {
		return nil
	}
	return &gateways.Web{Listen: f.WebListen, TCP: f.WebTCPListen, PublicIP: public}
}

// own is nil when there are no live calls.
func (f sipFlags) own() (*gateways.SIP, error) {
	if f.RegistersPerSecond < 1 {
		return nil, errors.New("--sip-registrations-per-second must be 1 or more")
	}
	if f.TrunkProxy == "" && (f.TrunkUsername != "" || f.TrunkPassword != "" || f.TrunkDomain != "") {
		return nil, errors.New("--trunk-username, --trunk-password and --trunk-domain: need --trunk-proxy (CALLWRIGHT_TRUNK_PROXY) too")
	}
	if f.TrunkProxy == "" && f.SIPListen == "" {
		return nil, nil
	}
	var first, last int
	if n, err := fmt.Sscanf(f.RTPPorts, "%d-%d", &first, &last); n != 2 || err != nil || first < 1 || last > 65535 || first >= last {
		return nil, fmt.Errorf("--rtp-ports: %q is not FIRST-LAST", f.RTPPorts)
	}
	for i, network := range f.TrunkMedia {
		if network.Bits() == 0 {
			return nil, fmt.Errorf("--trunk-media: %s is every network", network)
		}
		f.TrunkMedia[i] = network.Masked()
	}
	return &gateways.SIP{
		Listen: cmp.Or(f.SIPListen, defaultSIPListen), TCP: f.SIPTCPListen, PublicIP: f.PublicIP.Addr, RTPPorts: [2]int{first, last},
		Peers: f.TrunkPeers, Media: f.TrunkMedia,
		TLS: sip.TLSConfig{Listen: f.SIPTLSListen, CertFile: f.SIPTLSCert, KeyFile: f.SIPTLSKey, RootsFile: f.SIPTLSRoots},
	}, nil
}

// trunk is nil when there is none.
func (f sipFlags) trunk() *gateways.Trunk {
	if f.TrunkProxy == "" {
		return nil
	}
	encryption := sip.SRTP(f.TrunkSRTP)
	if f.TrunkSRTP == "off" {
		encryption = sip.SRTPOff
	}
	return &gateways.Trunk{
		Proxy: f.TrunkProxy, Transport: sip.Transport(strings.ToUpper(f.TrunkTransport)), SRTP: encryption, Domain: f.TrunkDomain,
		Username: f.TrunkUsername, Password: f.TrunkPassword, Transfer: f.TrunkTransfer,
	}
}

// settleRuntime adjusts Go's runtime to what a worker does, where the operator does not with Go's own variables.
func settleRuntime() {
	if _, chosen := os.LookupEnv("GOGC"); !chosen {
		debug.SetGCPercent(worker.CollectorPercent)
	}
	if _, chosen := os.LookupEnv("GOMAXPROCS"); !chosen {
		runtime.GOMAXPROCS(worker.Threads(runtime.GOMAXPROCS(0)))
	}
}

// stateDir is where a program of this user keeps its state.
func stateDir() string {
	if os.Geteuid() == 0 {
		return "/var/lib/callwright"
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "callwright")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return filepath.Join(os.TempDir(), "callwright")
	}
	return filepath.Join(home, ".local", "state", "callwright")
}

// configDir is where a customer's commands keep profiles.
func configDir() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return filepath.Join(stateDir(), "config")
	}
	return filepath.Join(dir, "callwright")
}

// decodeNetwork reads a network of a setting. An address is the network of it alone.
func decodeNetwork(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("network", &text); err != nil {
		return err
	}
	network, err := netip.ParsePrefix(text)
	if address, notOne := netip.ParseAddr(text); notOne == nil {
		network, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	if err != nil {
		return fmt.Errorf("%q is not a network, such as 10.1.0.0/16, and not an address", text)
	}
	target.Set(reflect.ValueOf(network))
	return nil
}

// envFileFlag names a file such as dev.env, whose settings stand in for those that the environment does not give.
type envFileFlag string

// BeforeResolve has the flags take what the file gives.
func (envFileFlag) BeforeResolve(ctx *kong.Context, trace *kong.Path) error {
	path := fmt.Sprint(ctx.FlagValue(trace.Flag))
	values, err := readEnvFile(kong.ExpandPath(path))
	if err != nil {
		return fmt.Errorf("--env-file: %s: %w", path, err)
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			if value, ok := values[name]; ok && os.Getenv(name) == "" {
				return value, nil
			}
		}
		return nil, nil
	}))
	return nil
}

func readEnvFile(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if failed, ok := errors.AsType[*os.PathError](err); ok {
		return nil, failed.Err // whoever asked names the path
	}
	if err != nil {
		return nil, err
	}
	return parseEnvFile(string(text))
}

// parseEnvFile reads lines of NAME='value'. What is wrong in a line is not repeated: it may be a secret.
func parseEnvFile(text string) (map[string]string, error) {
	values := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, found := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if !found {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", i+1)
		}
		values[name] = strings.Trim(value, `'"`)
	}
	return values, nil
}

// ipAddress is an IP address of a setting, or none.
type ipAddress struct{ netip.Addr }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *ipAddress) UnmarshalText(text []byte) error {
	if err := a.Addr.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is not an IP address, such as 203.0.113.7", text)
	}
	return nil
}

func defaultQueues() string {
	var text []string
	for name, size := range worker.DefaultQueues() {
		text = append(text, fmt.Sprintf("%s=%d", name, size))
	}
	slices.Sort(text)
	return strings.Join(text, ",")
}

// parseQueues reads NAME=SIZE pairs.
func parseQueues(sizes map[string]int) (map[string]int, error) {
	known := worker.DefaultQueues()
	if len(sizes) == 0 {
		return known, nil
	}
	for name, size := range sizes {
		if _, ok := known[name]; !ok {
			return nil, fmt.Errorf("--queues: there is no queue %q; there are analysis, calls, default, knowledge, schedule and webhooks",
				name)
		}
		if size < 1 || size > 10_000 {
			return nil, fmt.Errorf("--queues: size of %s must be 1 to 10000", name)
		}
	}
	return sizes, nil
}

// shutdownTimeout is what HTTP requests in progress get when a process stops.
const shutdownTimeout = 10 * time.Second

// providers builds whom calls are held with.
func (f speechFlags) providers(logger *slog.Logger) (*all.Providers, error) {
	speech, err := f.speech()
	if err != nil {
		return nil, err
	}
	providers, err := all.New(speech, logger)
	return providers, nameSetting(err)
}

// offer is whom assistants may ask for. It is the same in a process that holds no calls, which needs no vendor's key.
func (f speechFlags) offer() (all.Offer, error) {
	speech, err := f.speech()
	if err != nil {
		return all.Offer{}, err
	}
	offer, err := all.OfferOf(speech)
	return offer, nameSetting(err)
}

func (f speechFlags) speech() (all.Speech, error) {
	speech := all.Speech{LLM: f.LLM.settings(), STT: f.STT.settings(), TTS: f.TTS.settings()}
	for _, family := range []struct {
		flag    string
		choices *[]all.Settings
		second  []all.Settings
	}{{"llm", &speech.LLM, f.LLM2.settings()}, {"stt", &speech.STT, f.STT2.settings()}, {"tts", &speech.TTS, f.TTS2.settings()}} {
		if len(*family.choices) == 0 && len(family.second) > 0 {
			return speech, fmt.Errorf("--%s-2-provider: stands in for --%[1]s-provider, which is not chosen", family.flag)
		}
		*family.choices = append(*family.choices, family.second...)
	}
	return speech, nil
}
