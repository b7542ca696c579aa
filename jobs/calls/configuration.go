package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/db/jsonb"
)

// versionsKept is how many configurations a process keeps: those of so many assistants at work.
const versionsKept = 1000

// versions are configurations by their ids. A version is never edited, so what is here is what the database has.
var versions = struct {
	sync.Mutex
	configs map[uuid.UUID]*jsonb.Assistant
}{configs: map[uuid.UUID]*jsonb.Assistant{}}

// LoadConfigurations reads the configurations of calls that name a version of their assistant's into AssistantConfig. Calls share
// them, so nobody may change one.
func LoadConfigurations(ctx context.Context, conn dbsqlc.DBTX, calls ...*dbsqlc.Call) error {
	found, missing := knownVersions(calls)
	if len(missing) > 0 {
		if err := readVersions(ctx, conn, missing, found); err != nil {
			return fmt.Errorf("read configurations: %w", err)
		}
	}
	for _, call := range calls {
		if !namesVersion(call) {
			continue
		}
		if call.AssistantConfig = found[*call.AssistantVersionID]; call.AssistantConfig == nil {
			return fmt.Errorf("read configuration of call %s: there is no version %s", call.ID, call.AssistantVersionID)
		}
	}
	return nil
}

// readVersions adds versions to those that were found, and notes of each that it is used. The process keeps those of which others
// have noted it: what is noted here may be rolled back.
func readVersions(ctx context.Context, conn dbsqlc.DBTX, missing []uuid.UUID, found map[uuid.UUID]*jsonb.Assistant) error {
	rows, err := dbsqlc.New().AssistantVersionListMany(ctx, conn, &dbsqlc.AssistantVersionListManyParams{Ids: missing})
	if err != nil {
		return err
	}
	var fresh []uuid.UUID
	used := map[uuid.UUID]*jsonb.Assistant{}
	for _, row := range rows {
		found[row.ID] = &row.Config
		if row.Used {
			used[row.ID] = &row.Config
		} else {
			fresh = append(fresh, row.ID)
		}
	}
	keepVersions(used)
	if len(fresh) == 0 {
		return nil
	}
	return dbsqlc.New().AssistantVersionUse(ctx, conn, &dbsqlc.AssistantVersionUseParams{Ids: fresh})
}

// namesVersion reports whether the configuration of a call is to be read: one that is in its row is its own.
func namesVersion(call *dbsqlc.Call) bool {
	return call.AssistantConfig == nil && call.AssistantVersionID != nil
}

// knownVersions returns the configurations of calls that this process has, and the ids of the others.
func knownVersions(calls []*dbsqlc.Call) (found map[uuid.UUID]*jsonb.Assistant, missing []uuid.UUID) {
	versions.Lock()
	defer versions.Unlock()
	found = map[uuid.UUID]*jsonb.Assistant{}
	for _, call := range calls {
		if !namesVersion(call) {
			continue
		}
		id := *call.AssistantVersionID
		if config, ok := versions.configs[id]; ok {
			found[id] = config
		} else if !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	return found, missing
}

// keepVersions has the next calls find configurations here. Where there are too many, those at work are soon here again.
func keepVersions(used map[uuid.UUID]*jsonb.Assistant) {
	versions.Lock()
	defer versions.Unlock()
	if len(versions.configs)+len(used) > versionsKept {
		clear(versions.configs)
	}
	maps.Copy(versions.configs, used)
}
