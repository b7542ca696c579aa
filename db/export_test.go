package db

// MigrateFiles is Migrate with other migrations and another patience.
var MigrateFiles = migrate

// PlanFiles is PlanMigrations with other migrations.
var PlanFiles = planMigrations
