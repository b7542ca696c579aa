package website_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
	"github.com/callwright/callwright/providers/website"
	"github.com/callwright/callwright/providers/website/websitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a small company's website, with traps in it.
type site struct {
	*httptest.Server
	mu     sync.Mutex
	asked  map[string]int
	robots string
	status int // of robots.txt
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{asked: map[string]int{}, status: http.StatusOK}
	s.robots = "User-agent: *\nDisallow: /geheim\n\nUser-agent: Callwright\nDisallow: /intern/\nSitemap: {origin}/index-sitemap.xml\n"
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(s.status)
		fmt.Fprint(w, s.expand(s.robots))
	})
	mux.HandleFunc("/index-sitemap.xml", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			s.expand(`<sitemapindex><sitemap><loc>{origin}/sitemap.xml</loc></sitemap><sitemap><loc>http://elders.example/s.xml</loc></sitemap></sitemapindex>`))
	})
	mux.HandleFunc("/{$}", s.file("index.html"))
	mux.HandleFunc("/index.html", s.file("index.html"))
	mux.HandleFunc("/faq.html", s.file("faq.html"))
	mux.HandleFunc("/sitemap.xml", s.file("sitemap.xml"))
	mux.HandleFunc("/intern/", s.page("Intern", "Dit is geheim."))
	mux.HandleFunc("/behandelingen/", s.page("Behandelingen", "Wij vullen gaatjes."))
	mux.HandleFunc("/spoed.html", s.page("Spoed", "Bij spoed belt u de tandarts van dienst."))
	mux.HandleFunc("/agenda", s.page("Agenda", "Niets te doen."))
	mux.HandleFunc("/brochure.pdf", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		fmt.Fprint(w, "Prijslijst\n  Een  kroon kost 600 euro.")
	})
	mux.HandleFunc("/pdfs/", s.pdfs)
	mux.HandleFunc("/over.html", func(w http.ResponseWriter, _ *http.Request) { // in ISO 8859-1, and says so itself
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w,
			"<html><head><meta charset=iso-8859-1><title>Over ons</title></head><body><p>Wij hebben veel pati\xebnten.</p></body></html>")
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop?again", http.StatusFound) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/spoed.html", http.StatusMovedPermanently)
	})
	mux.HandleFunc("/out", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
	})
	mux.HandleFunc("/hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/huge", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for line := []byte(strings.Repeat("<p>veel</p>", 1000)); r.Context().Err() == nil; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	mux.HandleFunc("/compressed/", s.compressed)
	mux.HandleFunc("/blocks",
		s.raw(`<body><h2>Openingstijden</h2>Maandag <b>van 8</b> tot 17 uur<div><p>Dinsdag</p> <!-- op tijd --><span>van 9 tot 12 uur</span></div>Tot ziens
		<script type="application/ld+json">{"@type": "Question", "name": "Open?", "acceptedAnswer": {"text": "<p>Ja.</p>Elke dag."}}</script>`))
	mux.HandleFunc("/deep", s.raw(strings.Repeat("<div>", 100_000)+"diep"))
	mux.HandleFunc("/wild/", func(w http.ResponseWriter, r *http.Request) { // pages without end
		s.page("Pagina "+r.URL.Path, fmt.Sprintf(`<a href="%sa/">meer</a> <a href="%sb/">meer</a> pagina %s`, r.URL.Path, r.URL.Path,
			r.URL.Path))(w, r)
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// compressed is a page that is compressed without being asked for, in a way or to a degree that its path names.
func (s *site) compressed(w http.ResponseWriter, r *http.Request) {
	coding := r.URL.Path[len("/compressed/"):]
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Encoding", strings.TrimSuffix(coding, "-bomb"))
	if coding == "broken" {
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "<p>Plain.</p>")
		return
	}
	packed := gzip.NewWriter(w)
	fmt.Fprint(packed, "<title>Klein</title><p>Wij zijn ook op zaterdag open.</p>")
	for line := []byte(strings.Repeat(" ", 1<<20)); strings.HasSuffix(coding, "-bomb") && r.Context().Err() == nil; {
		if _, err := packed.Write(line); err != nil {
			return
		}
	}
	_ = packed.Close() // a client that has enough has closed the connection
}

// pdfs are many PDFs: one is broken, one longer than all may be together, and the others have eight million bytes.
func (s *site) pdfs(w http.ResponseWriter, r *http.Request) {
	size := 8_000_000
	switch r.URL.Path {
	case "/pdfs/":
		s.raw(`<a href="broken.pdf">a</a> <a href="long.pdf">b</a> <a href="1.pdf">c</a> <a href="page">d</a> <a href="intern/2.pdf">e</a> <a href="3.PDF">f</a> <a href="4.pdf">g</a>`)(w, r)
		return
	case "/pdfs/page":
		s.page("Pagina", "Een pagina.")(w, r)
		return
	case "/pdfs/broken.pdf":
		size = 0
	case "/pdfs/long.pdf":
		size = 21 << 20
		w.Header().Set("Content-Length", strconv.Itoa(size))
	}
	w.Header().Set("Content-Type", "application/pdf")
	fmt.Fprint(w, r.URL.Path+strings.Repeat(" ", size))
}

// plain is a reader of PDFs that are nothing but text, and sees that there is one at a time.
type plain struct{ reading atomic.Bool }

func (p *plain) Text(ctx context.Context, file []byte) (string, error) {
	if !p.reading.CompareAndSwap(false, true) {
		return "", errors.New("another is being read")
	}
	defer p.reading.Store(false)
	if string(file) == "/pdfs/broken.pdf" {
		return "", fault.New(fault.Refused, "pdf", "the PDF is damaged")
	}
	return string(file), ctx.Err()
}

func (s *site) expand(text string) string { return strings.ReplaceAll(text, "{origin}", s.URL) }

func (s *site) file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := os.ReadFile(filepath.Join("testdata", "site", name))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if strings.HasSuffix(name, ".html") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		}
		fmt.Fprint(w, s.expand(string(content)))
	}
}

func (s *site) page(title, text string) http.HandlerFunc {
	return s.raw("<!DOCTYPE html><title>" + title + "</title><body><nav>Menu</nav><p>" + text + "</p></body>")
}

func (s *site) raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func reader(t *testing.T, allow ...string) *website.Reader {
	t.Helper()
	cfg := hook.Config{UserAgent: "Callwright/test"}
	for _, prefix := range allow {
		cfg.Allow = append(cfg.Allow, netip.MustParsePrefix(prefix))
	}
	client := hook.New(cfg)
	t.Cleanup(client.Close)
	return website.New(website.Config{HTTP: client.HTTP(), UserAgent: client.UserAgent(), Pages: websitetest.Pages{},
		PDFs: &plain{}})
}

const loopback = "127.0.0.0/8"

func TestSite(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	pages, err := reader(t, loopback).Site(t.Context(), s.URL, time.Minute)
	require.NoError(t, err)
	byPath := map[string]website.Page{}
	var order []string
	for _, page := range pages {
		path := strings.TrimPrefix(page.URL, s.URL)
		order = append(order, path)
		byPath[path] = page
	}
	require.Equal(t, []string{"", "/faq.html", "/spoed.html", "/over.html", "/behandelingen/", "/brochure.pdf"}, order,
		"the sitemap first, then links, then PDFs; nothing twice")
	require.Equal(t, "Tandartspraktijk De Linde", byPath[""].Title)
	require.Equal(t, strings.Join([]string{
		"Welkom bij De Linde",
		"Wij zijn een moderne tandartspraktijk in het centrum van Utrecht. Nieuwe patiënten zijn van harte welkom, ook kinderen.",
		"Bel ons op werkdagen tussen acht en vijf uur, of maak een afspraak aan de balie.",
		"Lindelaan 12, 3511 AB Utrecht", "Openingstijden: maandag tot en met vrijdag van 8.00 tot 17.00 uur",
	}, "\n"), byPath[""].Text, "without menu and script, with the footer")
	require.Equal(t, "Wij hebben veel patiënten.", byPath["/over.html"].Text)
	require.Equal(t, "Wij vullen gaatjes.", byPath["/behandelingen/"].Text)
	require.Zero(t, s.count("/intern/rooster.html")+s.count("/intern/loon.html"), "robots.txt was not honoured")
	require.Zero(t, s.count("/agenda"), "queries have no end")
	require.Equal(t, website.Page{URL: s.URL + "/brochure.pdf", Title: "brochure", Text: "Prijslijst\nEen kroon kost 600 euro."},
		byPath["/brochure.pdf"])
}

func TestPDFsOfASite(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	s.robots = "User-agent: *\nDisallow: /pdfs/intern/\nSitemap: /none.xml\n"
	read := func(r *website.Reader) (paths []string) {
		pages, err := r.Site(t.Context(), s.URL+"/pdfs/", time.Minute)
		require.NoError(t, err)
		for _, page := range pages {
			paths = append(paths, strings.TrimPrefix(page.URL, s.URL))
		}
		return paths
	}
	require.Equal(t, []string{"/pdfs/", "/pdfs/page", "/pdfs/1.pdf", "/pdfs/3.PDF"}, read(reader(t, loopback)),
		"within the limit of their bytes")
	require.Equal(t, 1, s.count("/pdfs/4.pdf"))
	require.Zero(t, s.count("/pdfs/intern/2.pdf"))

	client := hook.New(hook.Config{UserAgent: "Callwright/test", Allow: []netip.Prefix{netip.MustParsePrefix(loopback)}})
	t.Cleanup(client.Close)
	require.Equal(t, []string{"/pdfs/", "/pdfs/page"}, read(website.New(website.Config{HTTP: client.HTTP(),
		UserAgent: client.UserAgent(), Pages: websitetest.Pages{}})), "no PDF reader")
	require.Equal(t, 1, s.count("/pdfs/1.pdf"))
}

func TestWordsDoNotGrowTogether(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	page, err := reader(t, loopback).Page(t.Context(), s.URL+"/blocks")
	require.NoError(t, err)
	require.Equal(t, "Openingstijden\nMaandag van 8 tot 17 uur\nDinsdag\nvan 9 tot 12 uur\nTot ziens", page.Text)
	require.Equal(t, []website.FAQ{{Question: "Open?", Answer: "Ja.\nElke dag."}}, page.FAQs)
}

func TestFAQs(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	page, err := reader(t, loopback).Page(t.Context(), s.URL+"/faq.html")
	require.NoError(t, err)
	require.Equal(t, []website.FAQ{
		{Question: "Kan ik mijn afspraak afzeggen?", Answer: "Ja, tot 24 uur van tevoren kosteloos."},
		{Question: "Is er een wachtlijst?", Answer: "Nee."},
		{Question: "Kan ik pinnen?", Answer: "Ja, pinnen kan altijd."},
		{Question: "Waar kan ik parkeren?", Answer: "Achter de praktijk.\nHet is daar gratis."},
		{Question: "Behandelen jullie kinderen?", Answer: "Ja, vanaf twee jaar."},
		{Question: "Wat kost een controle?", Answer: "Een controle kost 25 euro."},
		{Question: "Worden röntgenfoto's vergoed?", Answer: "Door de meeste verzekeraars."},
		{Question: "Zijn jullie op zaterdag open?", Answer: "Alleen voor spoed."},
		{Question: "Hebben jullie een folder?", Answer: "Ja, in de wachtkamer."},
		{Question: "Waar staat de prijslijst?", Answer: "Op onze prijzenpagina"},
	}, page.FAQs)
	require.Contains(t, page.Text, "Het is daar gratis.")
}

func TestPage(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	r := reader(t, loopback)
	page, err := r.Page(t.Context(), s.URL+"/moved#top")
	require.NoError(t, err)
	require.Equal(t, s.URL+"/spoed.html", page.URL, "a redirect within the site is followed")
	page, err = r.Page(t.Context(), s.URL+"/compressed/gzip")
	require.NoError(t, err)
	require.Equal(t, "Wij zijn ook op zaterdag open.", page.Text, "a server that compresses whatever it is asked")
	page, err = r.Page(t.Context(), s.URL+"/brochure.pdf")
	require.NoError(t, err)
	require.Equal(t, "Prijslijst\nEen kroon kost 600 euro.", page.Text)
	_, err = r.Page(t.Context(), s.URL+"/pdfs/broken.pdf")
	requireKind(t, fault.Refused, err, "a broken PDF")
	_, err = r.Page(t.Context(), s.URL+"/pdfs/long.pdf")
	requireKind(t, fault.Refused, err, "a long PDF")
	page, err = r.Page(t.Context(), s.URL+"/deep")
	if err == nil { // the parser may refuse it, but neither crash nor take for ever
		require.NotNil(t, page)
	}

	for path, kind := range map[string]fault.Kind{
		"/loop": fault.Refused, "/out": fault.Refused, "/huge": fault.Refused, "/intern/rooster.html": fault.Refused,
		"/weg.html": fault.Refused, "/broken": fault.Unavailable, "/sitemap.xml": fault.Refused,
		"/compressed/br": fault.Refused, "/compressed/broken": fault.Refused, "/compressed/gzip-bomb": fault.Refused,
	} {
		_, err := r.Page(t.Context(), s.URL+path)
		requireKind(t, kind, err, path)
	}
	require.Zero(t, s.count("/intern/rooster.html"))
	for _, address := range []string{"", "http://", "ftp://example.com", "https://user:password@example.com", "http://[::1",
		"http://exa mple.com"} {
		_, err := r.Page(t.Context(), address)
		requireKind(t, fault.Refused, err, address)
	}
}

func requireKind(t *testing.T, want fault.Kind, err error, message string) {
	t.Helper()
	kind, ok := fault.Of(err)
	require.True(t, ok, "%s: %v", message, err)
	require.Equal(t, want, kind, "%s: %v", message, err)
}

func TestPrivateAddressesAreNotRead(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	for _, address := range []string{s.URL, strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "http://169.254.169.254/"} {
		_, err := reader(t).Page(t.Context(), address)
		requireKind(t, fault.Refused, err, address)
		_, err = reader(t).Site(t.Context(), address, time.Minute)
		requireKind(t, fault.Refused, err, address)
	}
	require.Zero(t, s.count("/robots.txt"))
}

func TestRobotsThatFail(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	s.status = http.StatusServiceUnavailable
	_, err := reader(t, loopback).Site(t.Context(), s.URL, time.Minute)
	requireKind(t, fault.Unavailable, err, "503 forbids everything")
	require.Zero(t, s.count("/"))
	s.status, s.robots = http.StatusNotFound, "<html>Disallow: /</html>"
	_, err = reader(t, loopback).Page(t.Context(), s.URL+"/intern/rooster.html")
	require.NoError(t, err, "404 forbids nothing")
}

func TestSiteWithoutEnd(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	s.robots = ""
	pages, err := reader(t, loopback).Site(t.Context(), s.URL+"/wild/", time.Minute)
	require.NoError(t, err)
	require.Len(t, pages, 30)
}

func TestSiteThatHangs(t *testing.T) {
	t.Parallel()

	s := newSite(t)
	s.robots = "Sitemap: /list.xml"
	hanging := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, s.robots)
		case "/list.xml":
			fmt.Fprint(w, `<urlset><url><loc>/a</loc></url><url><loc>/hang</loc></url></urlset>`)
		case "/hang":
			<-r.Context().Done()
		default:
			s.page("A", "Dit is "+r.URL.Path)(w, r)
		}
	})
	server := httptest.NewServer(hanging)
	defer server.Close()
	started := time.Now()
	pages, err := reader(t, loopback).Site(t.Context(), server.URL, 300*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, pages, 2, "what was read in time counts")
	require.Less(t, time.Since(started), 5*time.Second)

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = reader(t, loopback).Page(ctx, server.URL+"/hang")
	requireKind(t, fault.Timeout, err, "a page that hangs")
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = reader(t, loopback).Site(ctx, server.URL, time.Minute)
	require.ErrorIs(t, err, context.Canceled)
}
