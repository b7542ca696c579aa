package customer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callwright/callwright/cmd/callwright/table"
)

// widest is how many characters a cell of a list shows.
const widest = 48

// printer prints answers: as they are for programs, as tables for people.
type printer struct {
	out     io.Writer
	json    bool
	columns []string // of a list; empty: all fields of its first entry
}

// raw prints JSON indented; digits and the order of fields stay.
func (p *printer) raw(answer json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, bytes.TrimSpace(answer), "", "  "); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	indented.WriteByte('\n')
	if _, err := indented.WriteTo(p.out); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func (p *printer) line(format string, arguments ...any) error {
	if _, err := fmt.Fprintf(p.out, format+"\n", arguments...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// list prints the entries of a page.
func (p *printer) list(answer json.RawMessage, read *page) error {
	if p.json {
		return p.raw(answer)
	}
	return p.entries(read.Data)
}

func (p *printer) entries(entries []json.RawMessage) error {
	columns := p.columns
	rows := [][]string{nil}
	for _, entry := range entries {
		fields, err := fieldsOf(entry)
		if err != nil {
			return err
		}
		if len(columns) == 0 {
			columns = namesOf(fields)
		}
		row := make([]string, len(columns))
		for i, column := range columns {
			row[i] = clip(cellOf(valueOf(fields, column)))
		}
		rows = append(rows, row)
	}
	for _, column := range columns {
		rows[0] = append(rows[0], strings.ToUpper(column))
	}
	return table.Print(p.out, rows)
}

func clip(cell string) string {
	if utf8.RuneCountInString(cell) <= widest {
		return cell
	}
	return string([]rune(cell)[:widest-1]) + "…"
}

// record prints one resource: a line for each field, those of objects by name.field, and a table for each list of objects.
func (p *printer) record(answer json.RawMessage) error {
	switch {
	case len(answer) == 0 && p.json:
		return nil
	case len(answer) == 0:
		return p.line("Done.")
	case p.json:
		return p.raw(answer)
	}
	fields, err := fieldsOf(answer)
	if err != nil {
		return err
	}
	rows, lists := [][]string{}, []field{}
	for _, one := range fields {
		inner, err := fieldsOf(one.value)
		switch {
		case err == nil && len(inner) > 0:
			for _, part := range inner {
				rows = append(rows, []string{one.name + "." + part.name, cellOf(part.value)})
			}
		case isList(one.value):
			lists = append(lists, one)
		default:
			rows = append(rows, []string{one.name, cellOf(one.value)})
		}
	}
	if err := table.Print(p.out, rows); err != nil {
		return err
	}
	for _, list := range lists {
		if err := p.inner(list); err != nil {
			return err
		}
	}
	return nil
}

// inner prints a list in a record.
func (p *printer) inner(list field) error {
	var entries []json.RawMessage
	if err := json.Unmarshal(list.value, &entries); err != nil {
		return fmt.Errorf("read %s: %w", list.name, err)
	}
	if err := p.line("\n%s", list.name); err != nil {
		return err
	}
	for _, entry := range entries { // what is long is what a reader came for
		fields, err := fieldsOf(entry)
		if err != nil {
			return err
		}
		row := make([]string, 0, len(fields))
		for _, one := range fields {
			row = append(row, one.name+"="+cellOf(one.value))
		}
		if err := p.line("  %s", strings.Join(row, "  ")); err != nil {
			return err
		}
	}
	return nil
}

// isList reports whether a value is a list of objects that has entries.
func isList(value json.RawMessage) bool {
	var entries []map[string]json.RawMessage
	return json.Unmarshal(value, &entries) == nil && len(entries) > 0
}

// field is a member of a JSON object.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf returns the members of an object in their order.
func fieldsOf(object json.RawMessage) ([]field, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, fmt.Errorf("the response is no JSON object: %.100s", object)
	}
	var fields []field
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read response: %w", err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("read response: %w", err)
		}
		fields = append(fields, field{fmt.Sprint(name), value})
	}
	return fields, nil
}

func namesOf(fields []field) []string {
	list := make([]string, len(fields))
	for i, one := range fields {
		list[i] = one.name
	}
	return list
}

func valueOf(fields []field, name string) json.RawMessage {
	name, part, _ := strings.Cut(name, ".")
	at := slices.IndexFunc(fields, func(one field) bool { return one.name == name })
	if at < 0 {
		return nil
	}
	if part == "" {
		return fields[at].value
	}
	parts, err := fieldsOf(fields[at].value)
	if err != nil {
		return nil
	}
	return valueOf(parts, part)
}

// cellOf returns a value as a cell: a text as it is, what has no value as -, all else as JSON.
func cellOf(value json.RawMessage) string {
	var text *string
	if len(value) == 0 || json.Unmarshal(value, &text) == nil {
		if text == nil {
			return "-"
		}
		return table.Cell(*text)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return table.Cell(string(value))
	}
	return compact.String()
}
