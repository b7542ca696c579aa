package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/callwright/callwright/cmd/callwright/table"
)

// outputFlags choose the form of what a command prints.
type outputFlags struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// column is one of a table: its title and what a record has there.
type column[R any] struct {
	title string
	text  func(R) string
}

// printList prints records as a table with a line of titles, or as a JSON array.
func printList[R any](form outputFlags, records []R, columns ...column[R]) error {
	if form.JSON {
		return printJSON(append([]R{}, records...)) // never null
	}
	titles := make([]string, len(columns))
	for i, column := range columns {
		titles[i] = column.title
	}
	rows := [][]string{titles}
	for _, record := range records {
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = column.text(record)
		}
		rows = append(rows, cells)
	}
	return table.Print(os.Stdout, rows)
}

// printRecord prints one record, a line for each of its columns, or as a JSON object.
func printRecord[R any](form outputFlags, record R, columns ...column[R]) error {
	if form.JSON {
		return printJSON(record)
	}
	rows := make([][]string, len(columns))
	for i, column := range columns {
		rows[i] = []string{column.title, column.text(record)}
	}
	return table.Print(os.Stdout, rows)
}

func printJSON(value any) error {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func optionalCell(text *string) string {
	if text == nil {
		return "-"
	}
	return table.Cell(*text)
}

func timeCell(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func optionalTimeCell(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return timeCell(*at)
}

func optionalUTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC())
}
