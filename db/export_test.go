package db

// MigrateFiles is Migrate with other migrations and another patience.
var MigrateFiles = migrate
