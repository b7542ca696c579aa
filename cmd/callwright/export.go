package main

import (
	"archive/zip"
	"cmp"
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/packed"
	"github.com/callwright/callwright/db/seal"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/sealed"
	"github.com/callwright/callwright/voice/audio"
)

// exportReadme tells whoever opens the file what is in it: each table of an account has a line.
//
//go:embed export.txt
var exportReadme string

// exportCommand writes out what is kept.
type exportCommand struct {
	Account exportAccountCommand `cmd:"" help:"Write a ZIP file of everything of a customer: rows as lines of JSON, recordings and documents as they were before they were sealed, and a README.txt that explains them. Keys and passwords are left out."`
}

// exportAccountCommand answers a customer who asks for all of it (GDPR, articles 15 and 20), or leaves.
type exportAccountCommand struct {
	accountFlags
	sealFlags
	fileFlags
	Output string `help:"File to write, which must not be there yet; default: the account's id with .zip." short:"o" placeholder:"FILE"`
}

// Run implements the command.
func (c *exportAccountCommand) Run(ctx context.Context) error {
	box, err := c.box()
	if err != nil {
		return err
	}
	store, err := c.store()
	if err != nil {
		return err
	}
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	if err := db.CheckSealKeys(ctx, pool, box); err != nil {
		return fmt.Errorf("--seal-keys: %w", err)
	}
	if c.Output == "" {
		c.Output = account.ID.String() + ".zip"
	}
	if _, err := os.Stat(c.Output); err == nil {
		return fmt.Errorf("%s is there already", c.Output)
	}
	export := &accountExport{account: account.ID, store: store, box: box, Version: version, At: time.Now().UTC(),
		Rows: map[string]int{}}
	if err := export.write(ctx, pool, c.Output); err != nil {
		return fmt.Errorf("export account: %w", err)
	}
	fmt.Printf("%s has %d tables, %d recordings and %d documents; %d files are missing.\n", c.Output, len(export.Rows),
		export.Recordings, export.Documents, len(export.Missing))
	return nil
}

// accountExport is one export; what it says of itself is manifest.json.
type accountExport struct {
	Version    string         `json:"version"`
	At         time.Time      `json:"at"`
	Rows       map[string]int `json:"rows"`
	Recordings int            `json:"recordings"`
	Documents  int            `json:"documents"`
	Missing    []string       `json:"missing,omitempty"` // files that rows name and the store does not have

	account uuid.UUID
	store   files.Store
	box     *seal.Box
	zip     *zip.Writer
	files   []exportedFile
}

// exportedFile is a sealed file and its name in the export.
type exportedFile struct {
	key, name, secret string
	open              func(io.ReadSeeker, int64) (io.Reader, error)
}

// Recordings get the lengths in their heads, which nobody knew when they began; documents are as they were uploaded.
func openRecording(file io.ReadSeeker, size int64) (io.Reader, error) {
	return audio.FinishWAV(file, size)
}

func openDocument(file io.ReadSeeker, _ int64) (io.Reader, error) { return file, nil }

// write has path only once all is in it.
func (e *accountExport) write(ctx context.Context, pool *pgxpool.Pool, path string) (err error) {
	unfinished, err := os.CreateTemp(filepath.Dir(path), ".callwright-export-*")
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, unfinished.Close(), os.Remove(unfinished.Name()))
		}
	}()
	e.zip = zip.NewWriter(unfinished)
	if err := e.writeRows(ctx, pool); err != nil {
		return err
	}
	if err := e.writeFiles(ctx); err != nil {
		return err
	}
	if err := e.writeJSON("manifest.json", e); err != nil {
		return err
	}
	if err := e.writeText("README.txt", exportReadme); err != nil {
		return err
	}
	if err := errors.Join(e.zip.Close(), unfinished.Sync()); err != nil {
		return err
	}
	if err := os.Rename(unfinished.Name(), path); err != nil {
		return err
	}
	return unfinished.Close()
}

// derived are tables of what stands elsewhere, or of answers that are kept for a day.
var derived = []string{"account_rate_window", "idempotency_key", "knowledge_embedding", "knowledge_term", "list_count",
	"list_count_delta"}

// secretive reports whether a column holds something that opens something, or is an index and no value.
func secretive(column string) bool {
	return strings.Contains(column, "secret") || strings.Contains(column, "password") || column == "hash" || column == "search" ||
		column == "token"
}

// writeRows writes all tables as they are at one moment.
func (e *accountExport) writeRows(ctx context.Context, pool *pgxpool.Pool) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		tables, err := db.AccountTables(ctx, tx)
		if err != nil {
			return err
		}
		tables = slices.DeleteFunc(tables, func(t db.AccountTable) bool { return slices.Contains(derived, t.Name) })
		columns, err := personColumns(ctx, tx)
		if err != nil {
			return err
		}
		for _, table := range append(tables, db.AccountTable{Name: "account"}, db.AccountTable{Name: "person", Columns: columns}) {
			if err := e.writeTable(ctx, tx, table); err != nil {
				return fmt.Errorf("%s: %w", table.Name, err)
			}
		}
		return e.listFiles(ctx, tx)
	})
}

// ofAccount says which rows of tables without an account_id are the account's. People may belong to others too: what is exported
// of them is what every member sees.
var ofAccount = map[string]string{
	"account": "id = $1", "person": "id IN (SELECT person_id FROM membership WHERE account_id = $1)",
}

// personColumns returns the columns of people.
func personColumns(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := tx.Query(ctx,
		"SELECT attname::text FROM pg_attribute WHERE attrelid = 'person'::regclass AND attnum > 0 AND NOT attisdropped")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func (e *accountExport) writeTable(ctx context.Context, tx pgx.Tx, table db.AccountTable) error {
	condition := cmp.Or(ofAccount[table.Name], "account_id = $1")
	left := []string{}
	for _, column := range table.Columns {
		if secretive(column) {
			left = append(left, column)
		}
	}
	rows, err := tx.Query(ctx, fmt.Sprintf("SELECT to_jsonb(part) - $2::text[] FROM %s AS part WHERE %s",
		pgx.Identifier{table.Name}.Sanitize(), condition), e.account, left)
	if err != nil {
		return err
	}
	defer rows.Close()
	entry, err := e.zip.Create(table.Name + ".jsonl")
	if err != nil {
		return err
	}
	count := 0
	for ; rows.Next(); count++ {
		var line json.RawMessage
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if table.Name == "event" {
			if line, err = unpacked(line); err != nil {
				return err
			}
		}
		if _, err := entry.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	e.Rows[table.Name] = count
	return rows.Err()
}

// unpacked returns the row of an event with its message as JSON.
func unpacked(line json.RawMessage) (json.RawMessage, error) {
	var row struct{ Packed string }
	if err := json.Unmarshal(line, &row); err != nil || row.Packed == "" {
		return line, err
	}
	bytes, err := hex.DecodeString(strings.TrimPrefix(row.Packed, `\x`))
	if err != nil {
		return nil, fmt.Errorf("read packed message: %w", err)
	}
	var message packed.Message
	if err := message.ScanBytes(bytes); err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	delete(fields, "packed")
	fields["payload"] = json.RawMessage(message)
	return json.Marshal(fields)
}

// listFiles notes which files there should be. They are read behind the transaction, which would hold the database back.
func (e *accountExport) listFiles(ctx context.Context, tx pgx.Tx) error {
	recorded, err := dbsqlc.New().ExportListRecordings(ctx, tx, &dbsqlc.ExportListRecordingsParams{AccountID: e.account})
	if err != nil {
		return err
	}
	for _, row := range recorded {
		secret, err := recordings.OpenSecret(e.box, row.ID, row.RecordingSecret)
		if err != nil {
			return fmt.Errorf("recording of call %s: %w", row.ID, err)
		}
		e.files = append(e.files, exportedFile{*row.RecordingKey, recordings.Prefix + row.ID.String() + ".wav", secret, openRecording})
	}
	e.Recordings = len(recorded)
	documents, err := dbsqlc.New().ExportListDocuments(ctx, tx, &dbsqlc.ExportListDocumentsParams{AccountID: e.account})
	if err != nil {
		return err
	}
	for _, row := range documents {
		secret, err := e.box.Open(row.FileSecret, numbers.DocumentSecretContext(row.ID))
		if err != nil {
			return fmt.Errorf("document %s: %w", row.ID, err)
		}
		e.files = append(e.files, exportedFile{row.FileKey, "documents/" + row.ID.String() + numbers.Extension(row.ContentType), secret,
			openDocument})
	}
	e.Documents = len(documents)
	return nil
}

func (e *accountExport) writeFiles(ctx context.Context) error {
	for _, file := range e.files {
		opened, err := sealed.Open(ctx, e.store, file.key, file.secret)
		if errors.Is(err, files.ErrNotFound) {
			e.Missing = append(e.Missing, file.name)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		if err := errors.Join(e.copy(file, opened), opened.Close()); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return nil
}

func (e *accountExport) copy(file exportedFile, opened *sealed.File) error {
	content, err := file.open(opened, opened.Size())
	if err != nil {
		return err
	}
	entry, err := e.zip.Create(file.name)
	if err == nil {
		_, err = io.Copy(entry, content)
	}
	return err
}

func (e *accountExport) writeText(name, text string) error {
	entry, err := e.zip.Create(name)
	if err == nil {
		_, err = io.WriteString(entry, text)
	}
	return err
}

func (e *accountExport) writeJSON(name string, value any) error {
	entry, err := e.zip.Create(name)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(entry)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
