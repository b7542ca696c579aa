package db

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/callwright/callwright/db/dbsqlc"
)

const (
	reportEvery = 15 * time.Second
	// ProcessSeen is how long ago a process may have reported itself to count as one that runs: three reports may fail.
	ProcessSeen = time.Minute
)

// ReportProcess says in the database that this process runs, which key it seals with and which forms it reads, now and again until the
// returned function is called, which takes it back. kind is what the process is, such as "api". With each report it looks which forms
// it may write. A report that fails is made up for by the next one.
func ReportProcess(ctx context.Context, pool *pgxpool.Pool, kind, keyID string) (stop func(), err error) {
	if err := dbsqlc.New().SealKeyHolderForget(ctx, pool); err != nil {
		return nil, fmt.Errorf("forget processes that are gone: %w", err)
	}
	session := pool.Config().ConnConfig.RuntimeParams["application_name"]
	said := &dbsqlc.SealKeyHolderReportParams{Session: session, Process: processName(kind), KeyID: keyID, Reads: int32(newestForm)}
	if err := dbsqlc.New().SealKeyHolderReport(ctx, pool, said); err != nil {
		return nil, fmt.Errorf("report process: %w", err)
	}
	if err := lookForForms(ctx, pool); err != nil {
		return nil, err
	}
	reporting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(reportEvery)
		defer tick.Stop()
		for {
			select {
			case <-reporting.Done():
				return
			case <-tick.C:
				limited, cancel := context.WithTimeout(reporting, reportEvery)
				_ = dbsqlc.New().SealKeyHolderReport(limited, pool, said) // the pool tells of outages
				_ = lookForForms(limited, pool)
				cancel()
			}
		}
	}()
	return func() {
		cancel()
		<-done
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = dbsqlc.New().SealKeyHolderDelete(leaving, pool, &dbsqlc.SealKeyHolderDeleteParams{Session: session}) // it grows old anyway
	}, nil
}

// processName is how an operator finds a process.
func processName(kind string) string {
	host, _ := os.Hostname()
	return fmt.Sprintf("%s on %s (process %d)", kind, cmp.Or(host, "an unnamed host"), os.Getpid())
}

// OtherSealers returns the processes that may run and seal with another key, or of which it is unknown.
func OtherSealers(ctx context.Context, tx dbsqlc.DBTX, keyID string) ([]*dbsqlc.SealKeyHolderListOthersRow, error) {
	within := pgtype.Interval{Microseconds: ProcessSeen.Microseconds(), Valid: true}
	others, err := dbsqlc.New().SealKeyHolderListOthers(ctx, tx, &dbsqlc.SealKeyHolderListOthersParams{Within: within, Ours: keyID})
	if err != nil {
		return nil, fmt.Errorf("list processes that seal with another key: %w", err)
	}
	return others, nil
}
