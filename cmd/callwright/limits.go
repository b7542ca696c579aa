package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/calls"
	"github.com/callwright/callwright/worker"
)

type accountLimitsCommand struct {
	accountFlags
	logFlags
	MaxConcurrentCalls    int32  `help:"Calls that run at once; more wait in order. Calls above a lower limit go on." required:""`
	ReservedInbound       int32  `help:"Places among them that outbound calls leave to inbound ones." default:"0"`
	MaxKnowledgeDocuments *int32 `help:"Documents of the knowledge base; those above a lower limit stay. Default: unchanged; 1000 at first."`
}

// Run implements the command.
func (c *accountLimitsCommand) Run(ctx context.Context) error {
	if c.MaxConcurrentCalls < 0 || c.MaxConcurrentCalls > 100_000 {
		return errors.New("--max-concurrent-calls must be 0 to 100000")
	}
	if c.ReservedInbound < 0 || c.ReservedInbound > c.MaxConcurrentCalls {
		return errors.New("--reserved-inbound must be 0 to --max-concurrent-calls")
	}
	if c.MaxKnowledgeDocuments != nil && (*c.MaxKnowledgeDocuments < 0 || *c.MaxKnowledgeDocuments > 1_000_000) {
		return errors.New("--max-knowledge-documents must be 0 to 1000000")
	}
	pool, account, err := c.openAccount(ctx)
	if err != nil {
		return err
	}
	defer pool.Close()
	inserter, err := worker.NewInserter(pool, c.logger())
	if err != nil {
		return err
	}
	account, err = db.WithTx(ctx, pool, func(tx pgx.Tx) (*dbsqlc.Account, error) {
		return calls.SetLimits(ctx, tx, inserter, &dbsqlc.AccountSetLimitsParams{
			ID: account.ID, MaxConcurrentCalls: c.MaxConcurrentCalls, ReservedInboundCalls: c.ReservedInbound, MaxKnowledgeDocuments: c.MaxKnowledgeDocuments,
		})
	})
	if err != nil {
		return err
	}
	fmt.Printf("concurrent calls     %d\nreserved inbound     %d\nknowledge documents  %d\n",
		account.MaxConcurrentCalls, account.ReservedInboundCalls, account.MaxKnowledgeDocuments)
	return nil
}
