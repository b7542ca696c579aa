package s3

import (
	"context"
	"iter"

	"github.com/minio/minio-go/v7"

	"github.com/callwright/callwright/providers/files"
)

// List implements files.Store. One request lists a thousand files.
func (s *Store) List(ctx context.Context, prefix string) iter.Seq2[files.Info, error] {
	return func(yield func(files.Info, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // ends the requests, also where nobody reads to the end
		options := minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
		for object := range s.core.ListObjectsIter(ctx, s.bucket, options) {
			if object.Err != nil {
				yield(files.Info{}, failed("list files", object.Err))
				return
			}
			if !yield(files.Info{Key: object.Key, Size: object.Size, Modified: object.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(files.Info{}, failed("list files", err))
		}
	}
}
