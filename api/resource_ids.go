package api

import "github.com/google/uuid"

// What the responses of creating operations are about, for the audit (middleware.Identified).

func (a Assistant) ResourceID() uuid.UUID            { return a.AssistantID }
func (c Call) ResourceID() uuid.UUID                 { return c.CallID }
func (c Contact) ResourceID() uuid.UUID              { return c.ContactID }
func (r instantAgentRef) ResourceID() uuid.UUID      { return r.InstantAgentID }
func (i Invitation) ResourceID() uuid.UUID           { return i.ID }
func (d KnowledgeDocument) ResourceID() uuid.UUID    { return d.ID }
func (k NewAPIKey) ResourceID() uuid.UUID            { return k.ID }
func (o numberOrdered) ResourceID() uuid.UUID        { return o.Data.OrderID }
func (o PhoneNumberOrder) ResourceID() uuid.UUID     { return o.OrderID }
func (s ScheduledCall) ResourceID() uuid.UUID        { return s.ID }
func (c SIPConnection) ResourceID() uuid.UUID        { return c.ID }
func (d VerificationDocument) ResourceID() uuid.UUID { return d.DocumentID }
func (g VerificationGroup) ResourceID() uuid.UUID    { return g.VerificationGroupID }
