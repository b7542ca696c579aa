package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/callwright/callwright/db/dbsqlc"
)

// verificationCommand decides of verification groups in the place of a carrier.
type verificationCommand struct {
	List    verificationListCommand    `cmd:"" help:"List the groups under review, the longest wait first."`
	Approve verificationApproveCommand `cmd:"" help:"Approve a group under review."`
	Reject  verificationRejectCommand  `cmd:"" help:"Reject a group under review."`
}

type verificationListCommand struct{ databaseFlags }

// Run implements the command.
func (c *verificationListCommand) Run(ctx context.Context) error {
	pool, err := c.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	groups, err := dbsqlc.New().VerificationGroupListUnderReview(ctx, pool)
	if err != nil {
		return fmt.Errorf("list verification groups: %w", err)
	}
	var text strings.Builder
	text.WriteString("GROUP\tSUBMITTED\tACCOUNT\tBUSINESS\n")
	for _, group := range groups {
		fmt.Fprintf(&text, "%s\t%s\t%s\t%q\n", group.ID, group.SubmittedAt.UTC().Format(time.RFC3339), group.Email, group.BusinessName)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(table, text.String()); err != nil {
		return fmt.Errorf("print verification groups: %w", err)
	}
	return table.Flush()
}

type verificationApproveCommand struct {
	databaseFlags
	Group uuid.UUID `arg:"" help:"Id of the group."`
}

// Run implements the command.
func (c *verificationApproveCommand) Run(ctx context.Context) error {
	return c.decide(ctx, c.Group, &dbsqlc.VerificationGroupDecideParams{Status: "approved"})
}

type verificationRejectCommand struct {
	databaseFlags
	Group  uuid.UUID `arg:"" help:"Id of the group."`
	Reason string    `help:"Why; the account's owner sees it." required:""`
}

// Run implements the command.
func (c *verificationRejectCommand) Run(ctx context.Context) error {
	return c.decide(ctx, c.Group, &dbsqlc.VerificationGroupDecideParams{Status: "rejected", RejectionReason: &c.Reason})
}

// decide records the decision on the submission under review; the carrier's answer to it then finds nothing to decide.
func (f databaseFlags) decide(ctx context.Context, id uuid.UUID, params *dbsqlc.VerificationGroupDecideParams) error {
	pool, err := f.openMigrated(ctx, 2)
	if err != nil {
		return err
	}
	defer pool.Close()
	group, err := dbsqlc.New().VerificationGroupGetAny(ctx, pool, &dbsqlc.VerificationGroupGetAnyParams{ID: id})
	if err == nil {
		params.ID, params.Submission = group.ID, group.Submission
		_, err = dbsqlc.New().VerificationGroupDecide(ctx, pool, params)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("there is no group %s under review", id)
	}
	if err != nil {
		return fmt.Errorf("decide verification group: %w", err)
	}
	fmt.Printf("status  %s\n", params.Status)
	return nil
}
