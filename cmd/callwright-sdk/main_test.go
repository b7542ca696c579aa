package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `
paths:
  /v1/things/{thing_id}/parts/{id}:
    get:
      operationId: list-parts
      summary: List parts
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
        - {name: colour, in: query, schema: {$ref: "#/components/schemas/Colour"}}
        - {name: id, in: path, required: true, schema: {type: string, format: uuid}}
        - {name: thing_id, in: path, required: true, schema: {type: string, format: uuid}}
      responses: {"200": {content: {application/json: {schema: {$ref: "#/components/schemas/PartList"}}}}}
    post:
      operationId: make-part
      summary: Make a part
      requestBody: {content: {application/json: {schema: {type: object, properties: {size: {type: number}}}}}}
      responses: {"201": {content: {application/json: {schema: {$ref: "#/components/schemas/Part"}}}}}
  /v1/stream:
    get: {operationId: stream-parts, responses: {"200": {content: {text/event-stream: {schema: {type: string}}}}}}
components:
  schemas:
    Colour: {type: string, enum: [red, "it's green"]}
    Free: {type: object, additionalProperties: true}
    Part:
      description: 'A "part"'
      required: [id, state, inner]
      properties:
        id: {type: string}
        from: {type: [string, "null"], description: Where it is from.}
        state: {type: [string, "null"], enum: [new, used, null]}
        inner: {type: object, required: [a], properties: {a: {type: array, items: {type: object, properties: {b: {type: boolean}}}}}}
        labels: {type: object, additionalProperties: {type: integer}}
        any: {anyOf: [{$ref: "#/components/schemas/Part"}, {type: "null"}]}
    Whole: {allOf: [{$ref: "#/components/schemas/Part"}, {required: [more], properties: {more: {const: 1}}}]}
    PartList:
      properties:
        data: {type: array, items: {$ref: "#/components/schemas/Part"}}
        pagination: {type: object, properties: {has_more: {type: boolean}}}
`

const asWebhook = `
webhooks:
  part-made:
    post: {requestBody: {content: {application/json: {schema: {properties: {message: {$ref: "#/components/schemas/Message"}}}}}}}
`

func sampleDocument(t *testing.T, text string) *document {
	t.Helper()
	path := filepath.Join(t.TempDir(), "openapi.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	doc, err := read(path)
	require.NoError(t, err)
	return doc
}

func rendered(t *testing.T, doc *document, name string) string {
	t.Helper()
	text, err := render(doc, name)
	require.NoError(t, err)
	return string(text)
}

func TestTypesOfPython(t *testing.T) {
	t.Parallel()
	text := rendered(t, sampleDocument(t, sample), "types.py")
	for _, want := range []string{
		"Part = TypedDict(\n    \"Part\",\n", `'from': 'NotRequired[str | None]',`, `'id': 'str',`,
		`'state': 'Literal["new", "used"] | None',`,
		`'inner': 'PartInner',`, `'labels': 'NotRequired[dict[str, int]]',`, `'any': 'NotRequired[Part | None]',`,
		"class PartInner(TypedDict):\n    a: list[PartInnerA]\n", "class PartInnerA(TypedDict):\n    b: NotRequired[bool]\n",
		"more': 'Literal[1]'", "class MakePartBody(TypedDict):\n    size: NotRequired[float]\n",
		`Colour: TypeAlias = 'Literal["red", "it\'s green"]'`, `Free: TypeAlias = 'dict[str, Any]'`, `"""A "part" """`,
		`WebhookMessage: TypeAlias = "dict[str, Any]"`,
	} {
		require.Contains(t, text, want)
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	doc := sampleDocument(t, sample)
	text := rendered(t, doc, "operations.py")
	require.Contains(t, text,
		"def list_parts(self, thing_id: str, id: str, *, limit: int | None = None, colour: types.Colour | None = None) -> Pages[types.Part]:")
	require.Contains(t, text, `self._pages(f"/v1/things/{_quote(thing_id)}/parts/{_quote(id)}", {"limit": limit, "colour": colour})`)
	require.Contains(t, text,
		"async def make_part(self, body: types.MakePartBody | None = None, *, idempotency_key: str | None = None) -> types.Part:")
	require.NotContains(t, text, "stream", "it is written by hand")
	text = rendered(t, doc, "operations.ts")
	require.Contains(t, text,
		`listParts(thing_id: string, id: string, query?: Query<"list-parts">, options?: RequestOptions): Pages<Item<"list-parts">> {`)
	require.Contains(t, text, `makePart(body?: Body<"make-part">, options?: CreateOptions): Promise<Result<"make-part">> {`)
	text = rendered(t, doc, "lists.go")
	require.Contains(t, text,
		"func (c *Client) AllParts(ctx context.Context, thingID uuid.UUID, id uuid.UUID, params *api.ListPartsParams) iter.Seq2[api.Part, error] {")
}

func TestMessages(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"{type: string, enum: [part-made]}", "{const: part-made}"} {
		doc := sampleDocument(t, sample+"    Message: {properties: {type: "+kind+"}}"+asWebhook)
		require.Contains(t, rendered(t, doc, "messages.go"), "case \"part-made\":\n\t\treturn &api.Message{}\n")
		require.Contains(t, rendered(t, doc, "types.py"), `WebhookMessage: TypeAlias = "Message"`)
	}
	for _, message := range []string{"", "    Message: {properties: {type: {type: string}}}"} {
		_, err := render(sampleDocument(t, sample+message+asWebhook), "messages.go")
		require.ErrorContains(t, err, "webhook part-made")
	}
}
