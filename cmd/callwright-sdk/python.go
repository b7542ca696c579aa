package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var pythonKeywords = strings.Fields("False None True and as assert async await break class continue def del elif else except finally for from " +
	"global if import in is lambda nonlocal not or pass raise return try while with yield")

var pythonTypes = map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
	"array": "list[Any]", "object": "dict[str, Any]"}

// pythonClass is a TypedDict.
type pythonClass struct {
	Name, Doc string
	Fields    []pythonField
	Plain     bool // every key is a name in Python
}

type pythonField struct{ Name, Type, Doc string }

// named returns the schemas that have names in Python: the components, and bodies and results that are none.
func (d *document) named() map[string]*schema {
	named := maps.Clone(d.Components.Schemas)
	for _, op := range d.Operations() {
		for name, s := range map[string]*schema{pascal(op.ID) + "Body": op.Body(), pascal(op.ID) + "Result": op.Result()} {
			if s != nil && s.Ref == "" {
				named[name] = s
			}
		}
	}
	return named
}

// pythonClasses returns a class for every named schema that is an object, and for every object inside one.
func (d *document) pythonClasses() []pythonClass {
	var classes []pythonClass
	named := d.named()
	for _, name := range sortedKeys(named) {
		classes = d.addPythonClass(classes, name, named[name])
	}
	return classes
}

// pythonAliases returns the named schemas that have no class.
func (d *document) pythonAliases() []pythonField {
	var aliases []pythonField
	named := d.named()
	for _, name := range sortedKeys(named) {
		if properties, _ := d.members(named[name]); len(properties) == 0 {
			aliases = append(aliases, pythonField{name, d.pythonType(named[name], name), named[name].Description})
		}
	}
	return aliases
}

// addPythonClass adds the class of an object behind those of the objects in it.
func (d *document) addPythonClass(classes []pythonClass, name string, s *schema) []pythonClass {
	properties, required := d.members(s)
	if len(properties) == 0 {
		return classes
	}
	class := pythonClass{Name: name, Doc: s.Description, Plain: true}
	for _, key := range sortedKeys(properties) {
		property := properties[key]
		for _, object := range []*schema{property, property.Items, additional(property)} {
			if object != nil && object.Ref == "" {
				classes = d.addPythonClass(classes, name+pascal(key), object)
			}
		}
		kind := d.pythonType(property, name+pascal(key))
		if !slices.Contains(required, key) {
			kind = "NotRequired[" + kind + "]"
		}
		class.Plain = class.Plain && pythonName(key)
		class.Fields = append(class.Fields, pythonField{key, kind, property.Description})
	}
	return append(classes, class)
}

// members returns the properties of an object, those of its parts included.
func (d *document) members(s *schema) (properties map[string]*schema, required []string) {
	if len(s.AllOf) == 0 {
		return s.Properties, s.Required
	}
	properties = map[string]*schema{}
	for _, part := range append(slices.Clone(s.AllOf), &schema{Properties: s.Properties, Required: s.Required}) {
		inner, needed := d.members(d.resolve(part))
		maps.Copy(properties, inner)
		required = append(required, needed...)
	}
	return properties, required
}

func additional(s *schema) *schema {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.schema
}

func pythonName(key string) bool {
	return !slices.Contains(pythonKeywords, key) && !strings.ContainsAny(key, "-. $") && !strings.ContainsAny(key[:1], "0123456789")
}

// pythonType returns the type of a value. An object that is no component has a class of the name.
func (d *document) pythonType(s *schema, name string) string {
	switch {
	case s.Ref != "":
		return s.Name()
	case s.Const != nil:
		return fmt.Sprintf("Literal[%s]", pythonLiteral(s.Const))
	case len(s.Enum) > 0:
		return d.pythonEnum(s)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		return d.pythonUnion(slices.Concat(s.AnyOf, s.OneOf), name)
	case len(s.AllOf) == 1 && len(s.Properties) == 0:
		return d.pythonType(s.AllOf[0], name)
	case len(s.AllOf) > 0:
		return name
	case len(s.Type) == 0:
		return "Any"
	}
	kinds := make([]string, 0, len(s.Type))
	for _, word := range s.Type {
		kinds = append(kinds, d.pythonKind(s, word, name))
	}
	return strings.Join(kinds, " | ")
}

func (d *document) pythonKind(s *schema, word, name string) string {
	switch {
	case word == "array" && s.Items != nil:
		return "list[" + d.pythonType(s.Items, name) + "]"
	case word == "object" && len(s.Properties) > 0:
		return name
	case word == "object" && additional(s) != nil:
		return "dict[str, " + d.pythonType(additional(s), name) + "]"
	case word == "string" && s.Format == "binary":
		return "bytes"
	}
	return pythonTypes[word]
}

func (d *document) pythonUnion(parts []*schema, name string) string {
	kinds := make([]string, 0, len(parts))
	for _, part := range parts {
		if kind := d.pythonType(part, name); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, " | ")
}

func (d *document) pythonEnum(s *schema) string {
	var words []string
	null := ""
	for _, value := range s.Enum {
		if value == nil {
			null = " | None"
		} else {
			words = append(words, pythonLiteral(value))
		}
	}
	if slices.Contains(s.Type, "null") {
		null = " | None"
	}
	return "Literal[" + strings.Join(words, ", ") + "]" + null
}

func pythonLiteral(value any) string {
	switch value := value.(type) {
	case string:
		return fmt.Sprintf("%q", value)
	case bool:
		return map[bool]string{true: "True", false: "False"}[value]
	}
	return fmt.Sprint(value)
}

// pythonArguments returns the parameters of an operation's method, self included.
func (d *document) pythonArguments(op *operation) string {
	arguments, named := []string{"self"}, []string{"*"}
	for _, parameter := range op.PathParameters() {
		arguments = append(arguments, parameter.Name+": str")
	}
	if body := op.Body(); body != nil {
		kind := d.pythonArgument(body, pascal(op.ID)+"Body")
		if op.RequestBody.Required {
			arguments = append(arguments, "body: "+kind)
		} else {
			arguments = append(arguments, "body: "+kind+" | None = None")
		}
	}
	if upload := op.Upload(); upload != nil {
		for _, key := range upload.Keys() {
			named = append(named, key+": "+d.pythonArgument(upload.Properties[key], ""))
		}
	}
	for _, parameter := range op.Query() {
		named = append(named, pythonWord(parameter.Name)+": "+d.pythonArgument(parameter.Schema, "")+" | None = None")
	}
	if op.Creates() {
		named = append(named, "idempotency_key: str | None = None")
	}
	if len(named) > 1 {
		arguments = append(arguments, named...)
	}
	return strings.Join(arguments, ", ")
}

// pythonArgument returns the type of a value as module operations writes it.
func (d *document) pythonArgument(s *schema, name string) string {
	switch {
	case s.Ref != "":
		return "types." + s.Name()
	case name != "":
		return "types." + name
	}
	return d.pythonType(s, "")
}

// pythonResult returns what an operation's method returns.
func (d *document) pythonResult(op *operation) string {
	switch {
	case op.Binary():
		return "bytes"
	case op.Result() == nil:
		return "None"
	}
	return d.pythonArgument(op.Result(), pascal(op.ID)+"Result")
}

// pythonItem returns the type of the entries of a list.
func (d *document) pythonItem(op *operation) string {
	if op.Item().Ref == "" {
		return "Any"
	}
	return "types." + op.Item().Name()
}

// pythonPath returns the expression for an operation's path.
func pythonPath(op *operation) string {
	if len(op.PathParameters()) == 0 {
		return fmt.Sprintf("%q", op.Path)
	}
	path := op.Path
	for _, parameter := range op.PathParameters() {
		path = strings.ReplaceAll(path, "{"+parameter.Name+"}", "{_quote("+parameter.Name+")}")
	}
	return "f" + fmt.Sprintf("%q", path)
}

// pythonQuery returns the expression for the query.
func pythonQuery(op *operation) string {
	names := make([]string, 0, len(op.Query()))
	for _, parameter := range op.Query() {
		names = append(names, parameter.Name)
	}
	return pythonDict(names)
}

// pythonForm returns the expressions for the fields and the files of a multipart body.
func pythonForm(op *operation) string {
	var fields, files []string
	for _, key := range op.Upload().Keys() {
		if op.Upload().Properties[key].Format == "binary" {
			files = append(files, key)
		} else {
			fields = append(fields, key)
		}
	}
	return "data=" + pythonDict(fields) + ", files=" + pythonDict(files)
}

func pythonDict(names []string) string {
	entries := make([]string, 0, len(names))
	for _, name := range names {
		entries = append(entries, fmt.Sprintf("%q: %s", name, pythonWord(name)))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// pythonWord returns the name of an argument: that of a parameter, but for words of the language.
func pythonWord(name string) string {
	if pythonName(name) {
		return name
	}
	return name + "_"
}

// pythonString returns a literal.
func pythonString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// pythonDoc returns a docstring.
func pythonDoc(text string, indent int) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"""`, `\"\"\"`)
	margin := strings.Repeat(" ", indent)
	lines := strings.Join(wrap(text, 116-indent), "\n"+margin)
	if strings.HasSuffix(lines, `"`) {
		lines += " "
	}
	return margin + `"""` + strings.ReplaceAll(lines, "\n"+margin+"\n", "\n\n") + `"""`
}
