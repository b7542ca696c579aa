package main

import (
	"fmt"
	"strings"
)

// typescriptArguments returns the parameters of an operation's method. Their types are those that openapi-typescript makes.
func typescriptArguments(op *operation) string {
	var arguments []string
	for _, parameter := range op.PathParameters() {
		arguments = append(arguments, parameter.Name+": string")
	}
	switch {
	case op.Upload() != nil:
		arguments = append(arguments, fmt.Sprintf("body: Upload<%q>", op.ID))
	case op.Body() != nil && op.RequestBody.Required:
		arguments = append(arguments, fmt.Sprintf("body: Body<%q>", op.ID))
	case op.Body() != nil:
		arguments = append(arguments, fmt.Sprintf("body?: Body<%q>", op.ID))
	}
	if len(op.Query()) > 0 {
		arguments = append(arguments, fmt.Sprintf("query?: Query<%q>", op.ID))
	}
	options := "options?: RequestOptions"
	if op.Creates() {
		options = "options?: CreateOptions"
	}
	return strings.Join(append(arguments, options), ", ")
}

// typescriptPath returns the expression for an operation's path.
func typescriptPath(op *operation) string {
	if len(op.PathParameters()) == 0 {
		return fmt.Sprintf("%q", op.Path)
	}
	path := op.Path
	for _, parameter := range op.PathParameters() {
		path = strings.ReplaceAll(path, "{"+parameter.Name+"}", "${encodeURIComponent("+parameter.Name+")}")
	}
	return "`" + path + "`"
}

// typescriptDoc returns a JSDoc comment.
func typescriptDoc(text string) string {
	return "  /**\n   * " + strings.Join(wrap(strings.ReplaceAll(text, "*/", "* /"), 116), "\n   * ") + "\n   */"
}
