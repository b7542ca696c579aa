package api

import (
	"maps"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

// Every key of a plan is described, and every description is of a key.
func TestPlanSchemas(t *testing.T) {
	t.Parallel()

	paths := map[string]bool{}
	var walk func(path string, schema *huma.Schema)
	walk = func(path string, schema *huma.Schema) {
		paths[path] = true
		for name, property := range schema.Properties {
			require.NotEmpty(t, property.Description, "say in planKeys what %s.%s is", path, name)
			walk(path+"."+name, property)
		}
		if schema.Items != nil {
			walk(path+"[]", schema.Items)
		}
	}
	schemas := planSchemas()
	for field, name := range planComponents {
		walk(field, schemas[name])
		require.Equal(t, true, schemas[name].AdditionalProperties, "%s is open", name)
	}
	for _, path := range slices.Sorted(maps.Keys(planKeys)) {
		require.True(t, paths[path], "planKeys describes %s, which there is not", path)
	}
}
