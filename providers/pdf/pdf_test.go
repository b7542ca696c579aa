package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/pdf"
	"github.com/callwright/callwright/providers/reading"
)

// TestMain makes the test binary the program that parses a file.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "read-pdf" {
		if err := reading.Serve(os.Stdin, os.Stdout, 32<<20, os.Exit, pdf.Read); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func reader(t *testing.T, limit time.Duration) *pdf.Reader {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return pdf.New(reading.New("PDF", limit, program, "read-pdf"))
}

// file writes a PDF of one page per content stream.
func file(filter string, contents ...string) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(text string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), text)
	}
	out.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range contents {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(contents)))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, content := range contents {
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i))
		object(fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), filter, content))
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}

func TestText(t *testing.T) {
	t.Parallel()

	text, err := reader(t, reading.TimeLimit).Text(t.Context(), file("",
		"BT /F1 12 Tf 50 700 Td (Een controle kost 25 euro.) Tj 0 -14 Td (Voor pati\\353nten van 18 jaar.) Tj ET",
		"BT /F1 12 Tf 50 700 Td (Tweede bladzijde) Tj ET",
	))
	require.NoError(t, err)
	require.Equal(t, "Een controle kost 25 euro.\nVoor patiënten van 18 jaar.\nTweede bladzijde", strings.TrimSpace(text))
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()

	good := file("", "BT /F1 12 Tf 50 700 Td (Hello) Tj ET")
	for name, content := range map[string][]byte{
		"Empty": nil, "NoPDF": []byte("<html>"), "Cut": good[:len(good)/2], "HeaderOnly": []byte("%PDF-1.7\n%%EOF"),
		"BadOperator": file("", "BT /F1 Tf (a) (b) Tj ET"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := reader(t, reading.TimeLimit).Text(t.Context(), content)
			if err != nil { // what can still be read may be read
				requireRefused(t, err)
			}
		})
	}
	t.Run("Loop", func(t *testing.T) {
		t.Parallel()
		_, err := reader(t, 500*time.Millisecond).Text(t.Context(),
			bytes.ReplaceAll(good, []byte("/Kids [4 0 R]"), []byte("/Kids [2 0 R]")))
		requireRefused(t, err)
		require.ErrorContains(t, err, "too long")
	})
	t.Run("Bomb", func(t *testing.T) {
		t.Parallel()
		var packed bytes.Buffer
		writer := zlib.NewWriter(&packed)
		_, err := writer.Write(bytes.Repeat([]byte("1 "), 4<<20)) // a few kilobytes in the file, hundreds of megabytes on the stack
		require.NoError(t, err)
		require.NoError(t, writer.Close())
		_, err = reader(t, reading.TimeLimit).Text(t.Context(), file("/Filter /FlateDecode", packed.String()))
		requireRefused(t, err)
		require.ErrorContains(t, err, "too much memory")
	})
}

func requireRefused(t *testing.T, err error) {
	t.Helper()
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Refused, kind, "%v", err)
}

func TestReaderThatDoesNotStart(t *testing.T) {
	t.Parallel()

	_, err := pdf.New(reading.New("PDF", reading.TimeLimit, "/nowhere/callwright")).Text(t.Context(), nil)
	kind, _ := fault.Of(err)
	require.Equal(t, fault.Unavailable, kind, "%v", err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = pdf.New(reading.New("PDF", reading.TimeLimit, "sleep", "60")).Text(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
