package costs

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callwright/callwright/db/jsonb"
)

// VendorPrices are what vendors ask for publicly, as a file for ReadPrices that says when and where they were read. Nothing uses
// them before an operator imports them.
//
//go:embed list_prices.csv
var VendorPrices []byte

// columns are the first line of a file of prices.
var columns = []string{"kind", "provider", "model", "valid_from", "usd"}

// WritePrices writes prices as ReadPrices reads them.
func WritePrices(w io.Writer, prices []Price) error {
	out := csv.NewWriter(w)
	lines := [][]string{columns}
	for _, price := range prices {
		lines = append(lines, []string{
			price.Kind, Cell(price.Provider), Cell(price.Model), price.ValidFrom.UTC().Format(time.RFC3339Nano), price.USD.String(),
		})
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("write prices: %w", err)
	}
	return nil
}

// ReadPrices reads CSV with the columns kind, provider, model, valid_from and usd, in this order. valid_from is an instant (RFC
// 3339), a day in UTC, or empty: now. Lines that begin with # are comments. It reads what spreadsheets write: a byte order mark,
// lines that end in CR LF, quoted cells. Errors name the line and the column.
func ReadPrices(r io.Reader, now time.Time) ([]Price, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	in.Comment, in.FieldsPerRecord = '#', -1
	if err := readColumns(in); err != nil {
		return nil, err
	}
	var prices []Price
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return prices, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read prices: %w", err)
		}
		line, _ := in.FieldPos(0)
		price, err := readPrice(record, now)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		prices = append(prices, price)
	}
}

// readColumns reads the first line.
func readColumns(in *csv.Reader) error {
	head, err := in.Read()
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("read prices: %w", err)
	case len(head) == 1 && strings.Contains(head[0], ";"):
		return errors.New("cells are separated by semicolons: save the file with commas, and with points in decimals")
	case !slices.Equal(trimAll(head), columns):
		return fmt.Errorf("the first line, behind comments, is not %s", strings.Join(columns, ","))
	}
	return nil
}

func readPrice(record []string, now time.Time) (Price, error) {
	if len(record) != len(columns) {
		return Price{}, fmt.Errorf("there are %d cells, not %d (%s)", len(record), len(columns), strings.Join(columns, ","))
	}
	cells := trimAll(record)
	price := Price{Kind: cells[0], Provider: plain(cells[1]), Model: plain(cells[2])}
	var err error
	if price.ValidFrom, err = ParseValidFrom(cells[3], now); err != nil {
		return Price{}, fmt.Errorf("valid_from: %w", err)
	}
	if price.USD, err = jsonb.ParseUSD(cells[4]); err != nil {
		if strings.Contains(cells[4], ",") {
			err = fmt.Errorf("%w: it has a point before its decimals, as in 0.15", err)
		}
		return Price{}, fmt.Errorf("usd: %q %w", cells[4], err)
	}
	return price, price.check()
}

func trimAll(cells []string) []string {
	trimmed := make([]string, len(cells))
	for i, cell := range cells {
		trimmed[i] = strings.TrimSpace(cell)
	}
	return trimmed
}

// formulas are what spreadsheets take for the beginning of one, as OWASP lists them under CSV injection.
const formulas = "=+-@\t\r\n＝＋－＠"

// Cell returns a text that a spreadsheet does not take for a formula: names are anybody's. Phone numbers stay.
func Cell(text string) string {
	if strings.HasPrefix(text, "+") && strings.Trim(text[1:], "0123456789") == "" {
		return text
	}
	if rest, quoted := strings.CutPrefix(text, "'"); quoted && Cell(rest) != rest {
		return "'" + text
	}
	if first, size := utf8.DecodeRuneInString(strings.TrimLeft(text, " ")); size > 0 && strings.ContainsRune(formulas, first) {
		return "'" + text
	}
	return text
}

// plain returns what Cell made a cell of.
func plain(cell string) string {
	if text, quoted := strings.CutPrefix(cell, "'"); quoted && Cell(text) == cell {
		return text
	}
	return cell
}
