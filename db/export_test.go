package db

import "time"

// MigrateFiles is Migrate with other migrations and another patience.
var MigrateFiles = migrate

// PlanFiles is PlanMigrations with other migrations.
var PlanFiles = planMigrations

// SetClock sets a Clock.
var SetClock = (*Clock).set

// ClockOf returns a Clock of a machine, which is not set.
func ClockOf(here func() time.Time) *Clock { return &Clock{here: here} }
