package main

import (
	"maps"
	"slices"
	"strings"
)

// goArguments returns the parameters of an iterator over a list: those of the method that oapi-codegen makes for a page.
func goArguments(op *operation) string {
	arguments := []string{"ctx context.Context"}
	for _, parameter := range op.PathParameters() {
		arguments = append(arguments, goName(parameter.Name)+" uuid.UUID")
	}
	return strings.Join(append(arguments, "params *api."+pascal(op.ID)+"Params"), ", ")
}

// goNames returns the names of the path parameters, as further arguments.
func goNames(op *operation) string {
	var names strings.Builder
	for _, parameter := range op.PathParameters() {
		names.WriteString(", " + goName(parameter.Name))
	}
	return names.String()
}

func goName(parameter string) string {
	name := camel(parameter)
	if trimmed, found := strings.CutSuffix(name, "Id"); found {
		return trimmed + "ID"
	}
	return name
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
