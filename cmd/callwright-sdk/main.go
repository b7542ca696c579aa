// Command callwright-sdk writes what the SDKs have of the OpenAPI document besides what others' generators make of it: the
// operations and types of Python, the operations of TypeScript, and for Go the iterators over lists and the messages of events.
//
// It knows OpenAPI and the three languages; it must not know any resource.
package main

import (
	"bytes"
	"embed"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// outputs are the files that are written below the folder, each by its template.
var outputs = []struct{ template, path string }{
	{"types.py", "python/callwright/types.py"},
	{"operations.py", "python/callwright/operations.py"},
	{"operations.ts", "typescript/src/operations.gen.ts"},
	{"lists.go", "go/lists.gen.go"},
	{"messages.go", "go/messages.gen.go"},
}

func main() {
	folder := flag.String("o", "sdk", "folder that the files are written below")
	path := flag.String("document", "api/openapi.yaml", "OpenAPI document")
	flag.Parse()
	if err := run(*path, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "callwright-sdk:", err)
		os.Exit(1)
	}
}

func run(path, folder string) error {
	doc, err := read(path)
	if err != nil {
		return err
	}
	for _, output := range outputs {
		text, err := render(doc, output.template)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, output.path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("write file: %w", err)
		}
	}
	return nil
}

// render executes the template of one file.
func render(doc *document, name string) ([]byte, error) {
	parsed, err := template.New(name+".tmpl").Funcs(functions(doc)).ParseFS(templates, "templates/"+name+".tmpl")
	if err != nil {
		return nil, fmt.Errorf("parse template: %w", err)
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, doc); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return text.Bytes(), nil
}

// functions are what the templates call.
func functions(doc *document) template.FuncMap {
	return template.FuncMap{
		"methods": func(doc *document, async bool) map[string]any { return map[string]any{"Doc": doc, "Async": async} },
		"pascal":  pascal, "camel": camel, "snake": snake,
		"pythonClasses": doc.pythonClasses, "pythonAliases": doc.pythonAliases, "pythonArguments": doc.pythonArguments,
		"pythonResult": doc.pythonResult, "pythonItem": doc.pythonItem, "pythonPath": pythonPath, "pythonQuery": pythonQuery,
		"pythonForm": pythonForm, "pythonString": pythonString, "pythonDoc": pythonDoc,
		"typescriptArguments": typescriptArguments, "typescriptPath": typescriptPath, "typescriptDoc": typescriptDoc,
		"goArguments": goArguments, "goNames": goNames, "listed": func(id string) string { return strings.TrimPrefix(id, "list-") },
	}
}
