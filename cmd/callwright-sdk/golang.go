package main

import (
	"maps"
	"slices"
	"strings"
)

// goArguments returns the parameters of an iterator over a list: those of the method that oapi-codegen makes for a page.
func goArguments(op *operation) string {
	arguments := "ctx context.Context"
	for _, parameter := range op.PathParameters() {
		arguments += ", " + goName(parameter.Name) + " uuid.UUID"
	}
	return arguments + ", params *api." + pascal(op.ID) + "Params"
}

// goNames returns the names of the path parameters, as further arguments.
func goNames(op *operation) string {
	names := ""
	for _, parameter := range op.PathParameters() {
		names += ", " + goName(parameter.Name)
	}
	return names
}

func goName(parameter string) string {
	name := camel(parameter)
	if trimmed, found := strings.CutSuffix(name, "Id"); found {
		return trimmed + "ID"
	}
	return name
}

func sortedKeys[V any](of map[string]V) []string { return slices.Sorted(maps.Keys(of)) }
