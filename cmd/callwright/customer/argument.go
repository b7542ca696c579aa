package customer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/callwright/callwright/api/client"
)

// argument is what the command line gave for an input.
type argument struct {
	given bool
	value json.RawMessage
	texts []string // of a list
	file  []byte
}

// mapper reads the arguments of an input. It checks what a request would not show: the type, and the words of an enumeration.
// Everything else the server checks.
type mapper struct{ client.Input }

var _ kong.BoolMapper = mapper{}

// IsBool implements kong.BoolMapper: a boolean flag takes no value.
func (m mapper) IsBool() bool { return m.Kind == client.Boolean }

// Decode implements kong.Mapper.
func (m mapper) Decode(ctx *kong.DecodeContext, target reflect.Value) (err error) {
	into, ok := reflect.TypeAssert[*argument](target.Addr())
	if !ok {
		return fmt.Errorf("cannot decode into %s", target.Type())
	}
	into.given = true
	if m.IsBool() && ctx.Scan.Peek().Type != kong.FlagValueToken {
		into.value = json.RawMessage("true")
		return nil
	}
	token, err := ctx.Scan.PopValue(string(m.Kind))
	if err != nil {
		return err
	}
	return m.read(into, fmt.Sprint(token.Value))
}

func (m mapper) read(into *argument, given string) (err error) {
	if m.Kind == client.File {
		into.file, err = os.ReadFile(given)
		return err
	}
	if m.In == client.InBody || m.In == own && m.Name == flagBody {
		if given, err = contents(given); err != nil {
			return err
		}
	}
	if len(m.Enum) > 0 && !slices.Contains(m.Enum, given) {
		return fmt.Errorf("must be one of %s, not %q", strings.Join(m.Enum, ", "), given)
	}
	if m.Kind == client.Strings {
		into.texts = append(into.texts, given)
		into.value, err = json.Marshal(into.texts)
		return err
	}
	into.value, err = m.encode(given)
	return err
}

// encode returns the JSON of a text, with every digit as it was written.
func (m mapper) encode(given string) (json.RawMessage, error) {
	switch m.Kind {
	case client.Boolean:
		if given != "true" && given != "false" {
			return nil, fmt.Errorf("must be true or false, not %q", given)
		}
	case client.Integer:
		if _, ok := new(big.Int).SetString(given, 10); !ok || !json.Valid([]byte(given)) {
			return nil, fmt.Errorf("must be a whole number, not %q", given)
		}
	case client.Number:
		var number json.Number
		if json.Unmarshal([]byte(given), &number) != nil || !json.Valid([]byte(given)) || strings.HasPrefix(given, `"`) {
			return nil, fmt.Errorf("must be a number, not %q", given)
		}
	case client.JSON:
		if !json.Valid([]byte(given)) {
			if m.Loose {
				return text(given), nil
			}
			return nil, errors.New("must be JSON, or @ and the name of a file that holds it")
		}
	default:
		return text(given), nil
	}
	return json.RawMessage(given), nil
}

// contents returns a text, or what the file holds that follows an @; @@ stands for a text that begins with one.
func contents(given string) (string, error) {
	name, marked := strings.CutPrefix(given, "@")
	if !marked || strings.HasPrefix(name, "@") {
		return name, nil
	}
	read, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	return string(read), nil
}
