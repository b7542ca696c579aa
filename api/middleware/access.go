package middleware

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/callwright/callwright/api/apierror"
	"github.com/callwright/callwright/db/dbsqlc"
)

// Scope is what a key may do. Each contains those before it.
type Scope string

// The scopes, the smallest first.
const (
	ScopeRead  Scope = "read"  // look at everything
	ScopeWrite Scope = "write" // and make, change and delete what is no matter of ScopeAdmin
	ScopeAdmin Scope = "admin" // and manage keys, the webhook and the profile
)

var scopes = []Scope{ScopeRead, ScopeWrite, ScopeAdmin}

// Has reports whether a key of scope s may do what needs another one.
func (s Scope) Has(needed Scope) bool { return slices.Index(scopes, s) >= slices.Index(scopes, needed) }

// All returns what s contains, itself last.
func (s Scope) All() []Scope { return scopes[:slices.Index(scopes, s)+1] }

// Largest returns the scope that contains all of several; ScopeWrite of none.
func Largest(of []Scope) Scope {
	if len(of) == 0 {
		return ScopeWrite
	}
	return slices.MaxFunc(of, func(a, b Scope) int { return slices.Index(scopes, a) - slices.Index(scopes, b) })
}

// Role is what a person may do in an account. Each contains those before it.
type Role string

// The roles, the smallest first.
const (
	RoleViewer    Role = "viewer"    // look at everything but the audit
	RoleDeveloper Role = "developer" // and make, change and delete all but members, the profile and live keys
	RoleAdmin     Role = "admin"     // and manage those
	RoleOwner     Role = "owner"     // and other owners
)

var roles = []Role{RoleViewer, RoleDeveloper, RoleAdmin, RoleOwner}

// Has reports whether somebody of role r may do what needs another one.
func (r Role) Has(needed Role) bool { return slices.Index(roles, r) >= slices.Index(roles, needed) }

// scope is what keys of the same power have.
func (r Role) scope() Scope {
	switch {
	case r.Has(RoleAdmin):
		return ScopeAdmin
	case r.Has(RoleDeveloper):
		return ScopeWrite
	}
	return ScopeRead
}

// RoleRefused returns the error for somebody whose role is too small.
func RoleRefused(needed, has Role) *apierror.Error {
	return apierror.New(http.StatusForbidden, "forbidden", fmt.Sprintf("This needs the role %s; yours is %s.", needed, has))
}

// Access is who may call an operation: people by their role, keys by their scope.
type Access struct {
	Role  Role
	Scope Scope // empty: no key may, since it is about somebody who is signed in
	Test  TestAccess
}

// Changes reports whether what an operation does is for the audit.
func (a Access) Changes() bool { return a.Scope != ScopeRead }

// TestAccess is what of an operation is for test keys: TestAny, TestNone, or the kind of the record in the path, as
// TestRecordIs names it, which a test key must have made.
type TestAccess string

const (
	TestAny  TestAccess = "any"  // it reads, or makes what is simulated
	TestNone TestAccess = "none" // it changes what is real
)

// accessKey is the metadata key of an operation's Access.
const accessKey = "access"

// SetAccess declares who may call an operation.
func SetAccess(op *huma.Operation, access Access) {
	if op.Metadata == nil {
		op.Metadata = map[string]any{}
	}
	op.Metadata[accessKey] = access
}

// permit returns the refusal of a caller who may not call the operation. An operation that declares no access is
// for nobody.
func permit(ctx context.Context, conn dbsqlc.DBTX, who Caller, request huma.Context) error {
	access, declared := request.Operation().Metadata[accessKey].(Access)
	switch {
	case !declared:
		return errors.New("the operation " + request.Operation().OperationID + " declares no access")
	case who.PersonID != nil && !who.Role.Has(access.Role):
		return RoleRefused(access.Role, who.Role)
	case who.PersonID == nil && access.Scope == "":
		return apierror.New(http.StatusForbidden, "forbidden", "This is for people who are signed in; an API key has no session.")
	case who.PersonID == nil && !who.Scope.Has(access.Scope):
		return apierror.New(http.StatusForbidden, "insufficient_scope",
			fmt.Sprintf("This needs a key with the scope %s; yours has %s.", access.Scope, who.Scope))
	case !who.Test || access.Test == TestAny:
		return nil
	case access.Test == TestNone:
		return TestKeyRefused("This changes what is real, which no test key does. Use a live key.")
	}
	id, err := uuid.Parse(request.Param(firstParameter(request.Operation().Path)))
	if err != nil {
		return nil //nolint:nilerr // the handler finds nothing either
	}
	own, err := dbsqlc.New().TestRecordIs(ctx, conn, &dbsqlc.TestRecordIsParams{Kind: string(access.Test), AccountID: who.AccountID,
		ID: id})
	if err != nil {
		return fmt.Errorf("look whether a test key made the record: %w", err)
	}
	if !own {
		return TestKeyRefused("No test key made this " + string(access.Test) + ", so none changes it. Use a live key.")
	}
	return nil
}

func firstParameter(path string) string {
	_, rest, _ := strings.Cut(path, "{")
	name, _, _ := strings.Cut(rest, "}")
	return name
}

// TestKeyRefused returns the error for a test key that would change what is real.
func TestKeyRefused(message string) *apierror.Error {
	return apierror.New(http.StatusForbidden, "test_key", message)
}
