package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/callwright/callwright/providers/files"
	"github.com/callwright/callwright/providers/files/dir"
	"github.com/callwright/callwright/providers/files/s3"
	"github.com/callwright/callwright/providers/scan"
	"github.com/callwright/callwright/providers/scan/clamd"
)

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
