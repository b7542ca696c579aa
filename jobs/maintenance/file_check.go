package maintenance

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
	"github.com/callwright/callwright/jobs/recordings"
	"github.com/callwright/callwright/providers/files"
)

// FileState says how a file and its row differ.
type FileState string

const (
	FileOrphaned  FileState = "orphaned"  // a file without a row, or of an erased call; the cure deletes it
	FileUnnoted   FileState = "unnoted"   // the recording of a call whose row says that there is none; the cure notes it
	FileMissing   FileState = "missing"   // a row without its file; the cure has a call say that it has no recording
	FileAbandoned FileState = "abandoned" // a draft that nobody writes any more; the cure deletes it
	FileForeign   FileState = "foreign"   // a file that is none of ours, and is left alone
)

// fileGrace is how old a file must be: until then somebody may be about to write its row, or to delete it.
const fileGrace = time.Hour

// rowsPerPage are read at once.
const rowsPerPage = 1000

// FoundFile is one difference.
type FoundFile struct {
	State    FileState  `json:"state"`
	Key      string     `json:"key"`
	Size     int64      `json:"size"`
	Modified *time.Time `json:"modified_at"` // nil: there is no file
	Fixed    bool       `json:"fixed"`
}

// Looked says how many were looked at.
type Looked struct {
	Files  int // recordings and documents in the store
	Rows   int // that name one
	Drafts int // files that are being written, or were
}

// FileCheck compares the files of a store with the rows that name them. Files are read in the order of their keys, and so
// are rows, so it holds a page of each. What comes or goes meanwhile looks like a difference: each is looked at again by
// itself before it is told.
type FileCheck struct {
	DB    dbsqlc.DBTX
	Files files.Store
	Now   func() time.Time
	Fix   []FileState // what it cures

	Looked Looked // what Run has looked at

	found func(FoundFile) error
}

// Run calls found with each difference, after its cure.
func (c *FileCheck) Run(ctx context.Context, found func(FoundFile) error) error {
	c.found = found
	if err := c.checkDrafts(ctx); err != nil {
		return err
	}
	if err := c.compare(ctx, recordings.Prefix, c.recordings(ctx), c.checkRecording); err != nil {
		return err
	}
	return c.compare(ctx, numbers.DocumentFiles, c.documents(ctx), c.checkDocument)
}

// compare walks through the files whose keys begin with prefix and through the keys that rows name, both in order.
func (c *FileCheck) compare(ctx context.Context, prefix string, named iter.Seq2[string, error],
	unnamed func(context.Context, files.Info) error) error {
	next, stop := iter.Pull2(c.counted(named))
	defer stop()
	key, err, more := next()
	for file, listErr := range c.Files.List(ctx, prefix) {
		if listErr != nil {
			return listErr
		}
		c.Looked.Files++
		for ; more && err == nil && key < file.Key; key, err, more = next() {
			if err := c.checkMissing(ctx, key); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if more && key == file.Key {
			key, err, more = next()
			continue
		}
		if err := unnamed(ctx, file); err != nil {
			return err
		}
	}
	for ; more && err == nil; key, err, more = next() {
		if err := c.checkMissing(ctx, key); err != nil {
			return err
		}
	}
	return err
}

// counted yields what named does, and counts it.
func (c *FileCheck) counted(named iter.Seq2[string, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for key, err := range named {
			if err == nil {
				c.Looked.Rows++
			}
			if !yield(key, err) {
				return
			}
		}
	}
}

// recordings yields the keys of all recordings that there should be.
func (c *FileCheck) recordings(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		after := &dbsqlc.FileListRecordingsParams{Max: rowsPerPage}
		for {
			rows, err := dbsqlc.New().FileListRecordings(ctx, c.DB, after)
			if err != nil {
				yield("", fmt.Errorf("list recordings: %w", err))
				return
			}
			for _, row := range rows {
				if !yield(recordings.Key(row.AccountID, row.ID), nil) {
					return
				}
				after.AfterAccountID, after.AfterID = row.AccountID, row.ID
			}
			if len(rows) < rowsPerPage {
				return
			}
		}
	}
}

// documents yields the keys of all verification documents.
func (c *FileCheck) documents(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		keys, err := dbsqlc.New().FileListDocuments(ctx, c.DB)
		if err != nil {
			yield("", fmt.Errorf("list documents: %w", err))
			return
		}
		for _, key := range keys {
			if !yield(key, nil) {
				return
			}
		}
	}
}

func (c *FileCheck) checkDrafts(ctx context.Context) error {
	drafts, err := c.Files.Drafts().List()
	if err != nil {
		return err
	}
	c.Looked.Drafts = len(drafts)
	for _, draft := range drafts {
		if c.Now().Sub(draft.Modified) < fileGrace {
			continue
		}
		info := files.Info{Key: draft.Name, Size: draft.Size, Modified: draft.Modified}
		err := c.tell(FileAbandoned, info, func() error { return c.Files.Drafts().Remove(draft.Name) })
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// checkRecording looks at a file that no row named.
func (c *FileCheck) checkRecording(ctx context.Context, file files.Info) error {
	if c.Now().Sub(file.Modified) < fileGrace {
		return nil
	}
	accountID, callID, ok := recordings.ParseKey(file.Key)
	if !ok {
		return c.tell(FileForeign, file, nil)
	}
	row, err := dbsqlc.New().FileGetRecording(ctx, c.DB, &dbsqlc.FileGetRecordingParams{AccountID: accountID, ID: callID})
	if err != nil {
		return fmt.Errorf("get call of recording: %w", err)
	}
	switch {
	case !row.Ours:
		return c.tell(FileForeign, file, nil)
	case !row.Present || row.ErasedAt != nil:
		return c.tell(FileOrphaned, file, func() error { return c.Files.Delete(ctx, file.Key) })
	case row.EndedAt == nil || row.RecordingKey != nil: // it goes on, or was noted meanwhile
		return nil
	}
	return c.tell(FileUnnoted, file, func() error {
		_, err := recordings.Keep(ctx, c.DB, c.Files, accountID, callID, nil)
		return err
	})
}

// checkDocument does likewise for verification documents.
func (c *FileCheck) checkDocument(ctx context.Context, file files.Info) error {
	if c.Now().Sub(file.Modified) < fileGrace+numbers.UnfinishedUpload {
		return nil
	}
	account, _, _ := strings.Cut(strings.TrimPrefix(file.Key, numbers.DocumentFiles), "/")
	accountID, err := uuid.Parse(account)
	if err != nil {
		return c.tell(FileForeign, file, nil)
	}
	row, err := dbsqlc.New().FileGetDocument(ctx, c.DB, &dbsqlc.FileGetDocumentParams{AccountID: accountID, FileKey: file.Key})
	switch {
	case err != nil:
		return fmt.Errorf("get document of file: %w", err)
	case !row.Ours:
		return c.tell(FileForeign, file, nil)
	case row.Named:
		return nil
	}
	return c.tell(FileOrphaned, file, func() error { return c.Files.Delete(ctx, file.Key) })
}

// checkMissing looks at a file that a row names and no list has.
func (c *FileCheck) checkMissing(ctx context.Context, key string) error {
	file, _, err := c.Files.Open(ctx, key)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, files.ErrNotFound) {
		return err
	}
	accountID, callID, recording := recordings.ParseKey(key)
	if !recording {
		return c.tell(FileMissing, files.Info{Key: key}, nil)
	}
	row, err := dbsqlc.New().FileGetRecording(ctx, c.DB, &dbsqlc.FileGetRecordingParams{AccountID: accountID, ID: callID})
	if err != nil {
		return fmt.Errorf("get call of recording: %w", err)
	}
	if row.RecordingKey == nil { // erased meanwhile
		return nil
	}
	return c.tell(FileMissing, files.Info{Key: key}, func() error {
		return dbsqlc.New().FileForgetRecording(ctx, c.DB, &dbsqlc.FileForgetRecordingParams{AccountID: accountID, ID: callID})
	})
}

// tell cures a difference where that is wanted and possible, and tells of it.
func (c *FileCheck) tell(state FileState, file files.Info, cure func() error) error {
	found := FoundFile{State: state, Key: file.Key, Size: file.Size}
	if !file.Modified.IsZero() {
		found.Modified = new(file.Modified.UTC())
	}
	if cure != nil && slices.Contains(c.Fix, state) {
		if err := cure(); err != nil {
			return err
		}
		found.Fixed = true
	}
	return c.found(found)
}
