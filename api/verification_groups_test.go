package api_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/callwright/callwright/api/apitest"
	"github.com/callwright/callwright/db/dbsqlc"
	"github.com/callwright/callwright/jobs/numbers"
)

const groupsPath = "/v1/verification-groups"

func wholeGroup() object {
	return object{
		"name": "Practice", "business_name": "Linden Dental BV", "contact_person_first_name": "Jan",
		"contact_person_last_name": "Jansen",
		"contact_person_phone":     "06 12345678", "city": "Amsterdam", "street_name": "Damrak", "house_number": "1a",
		"postal_code": "1012 lg",
		"province":    "Noord-Holland",
	}
}

func makeGroup(t *testing.T, server *apitest.Server) string {
	t.Helper()
	return apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, groupsPath,
		wholeGroup())["verification_group_id"].(string)
}

// part is one part of a form; a part with a type is a file.
type part struct{ name, contentType, content string }

func form(t *testing.T, parts ...part) (body []byte, contentType string) {
	t.Helper()
	var buffer bytes.Buffer
	writer := multipart.NewWriter(&buffer)
	for _, one := range parts {
		header := textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + one.name + `"`}}
		if one.contentType != "" {
			header = textproto.MIMEHeader{"Content-Disposition": {`form-data; name="` + one.name + `"; filename="../../etc/passwd"`},
				"Content-Type": {one.contentType}}
		}
		w, err := writer.CreatePart(header)
		require.NoError(t, err)
		_, err = w.Write([]byte(one.content))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return buffer.Bytes(), writer.FormDataContentType()
}

const pdf = "%PDF-1.7 a company registration"

func upload(t *testing.T, server *apitest.Server, group string, headers []string, parts ...part) *apitest.Response {
	t.Helper()
	body, contentType := form(t, parts...)
	return server.Do(t, http.MethodPost, groupsPath+"/"+group+"/documents", body,
		append([]string{"Content-Type", contentType}, headers...)...)
}

func uploaded(t *testing.T, server *apitest.Server, group, documentType string) object {
	t.Helper()
	response := upload(t, server, group, nil, part{"document_type", "", documentType}, part{"file", "application/pdf", pdf})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	return apitest.Decode[object](t, response)
}

func TestVerificationGroupFields(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	made := apitest.Want[object](t, server, http.StatusCreated, http.MethodPost, groupsPath, wholeGroup())
	require.Equal(t, "1012LG", made["postal_code"])
	require.Equal(t, "+31612345678", made["contact_person_phone"])
	require.Equal(t, "pending", made["status"])
	for _, field := range []string{"submitted_at", "reviewed_at", "rejection_reason", "external_address_id",
		"external_identification_file_id"} {
		require.Contains(t, made, field)
		require.Nil(t, made[field])
	}
	require.Equal(t, []any{}, made["documents"])
	for field, values := range map[string][]any{
		"postal_code": {"1012", "0123AB", "1012LGX", "LG1012", ""}, "contact_person_phone": {"123", "+32470123456", "abc"},
		"name": {"", "  ", nil},
		"city": {""}, "house_number": {" "}, "province": {strings.Repeat("x", 101)}, "description": {5}, "other": {"x"},
		"business_name": {"a\u0000b"},
	} {
		for _, value := range values {
			body := wholeGroup()
			body[field] = value
			require.Contains(t, server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, groupsPath, body), field)
		}
	}
	details := server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, groupsPath, `{}`)
	require.Len(t, details, len(wholeGroup()), "every missing field is named")

	list := apitest.Want[object](t, server, http.StatusOK, http.MethodGet, groupsPath+"?status=pending", nil)
	require.Len(t, list["data"], 1)
	require.EqualValues(t, 10, list["pagination"].(object)["limit"])
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, groupsPath+"?status=approved", nil)["data"])
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodGet, groupsPath+"?status=open", nil)
}

// storedFiles counts the files in the store.
func storedFiles(t *testing.T, server *apitest.Server) (count int) {
	t.Helper()
	for _, err := range server.API.Files.List(t.Context(), numbers.DocumentFiles) {
		require.NoError(t, err)
		count++
	}
	return count
}

// Who is refused again and again, or repeats a request, leaves nothing on the disk: 20 MiB each, for an hour, would fill it.
func TestRefusedUploadsLeaveNoFile(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	file, id := part{"file", "application/pdf", pdf}, part{"document_type", "", "copy-id"}
	for range 2 {
		response := upload(t, server, group, []string{"Idempotency-Key", "upload-1"}, id, file)
		require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	}
	require.Equal(t, 1, storedFiles(t, server), "of a repetition")
	upload(t, server, group, []string{"Idempotency-Key", "upload-1"}, part{"document_type", "", "proof-of-address"}, file).WantError(t,
		http.StatusConflict, "idempotency_conflict")
	upload(t, server, group, nil, id, file).WantError(t, http.StatusConflict, "conflict")
	upload(t, server, group, nil, file, part{"document_type", "", "photo"}).WantError(t, http.StatusBadRequest, "invalid_request")
	upload(t, server, group, nil, file).WantError(t, http.StatusBadRequest, "invalid_request")
	upload(t, server, group, nil, file, id, part{"other", "", "x"}).WantError(t, http.StatusBadRequest, "invalid_request")
	require.Equal(t, 1, storedFiles(t, server))
	complete(t, server, group)
	apitest.Want[object](t, server, http.StatusOK, http.MethodPost, groupsPath+"/"+group+"/submit-for-approval", nil)
	upload(t, server, group, nil, part{"document_type", "", "proof-of-address"}, file).WantError(t, http.StatusConflict, "conflict")
	require.Equal(t, 1, storedFiles(t, server))
}

func TestVerificationGroupLimit(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	_, err := server.Tx.(dbsqlc.DBTX).Exec(t.Context(), `INSERT INTO verification_group (id, account_id, simulated, name, business_name,
			contact_person_first_name, contact_person_last_name, contact_person_phone, city, street_name, house_number, postal_code, province)
		SELECT gen_random_uuid(), account_id, simulated, name, business_name, contact_person_first_name, contact_person_last_name,
			contact_person_phone, city, street_name, house_number, postal_code, province
		FROM verification_group, generate_series(1, 99) WHERE id = $1`, group)
	require.NoError(t, err)
	server.WantError(t, http.StatusConflict, "limit_reached", http.MethodPost, groupsPath, wholeGroup())
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, groupsPath+"/"+group, nil).Status)
	makeGroup(t, server)
}

func TestVerificationGroupSubmission(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	path := groupsPath + "/" + group
	details := server.WantError(t, http.StatusBadRequest, "invalid_status", http.MethodPost, path+"/submit-for-approval", nil)
	require.Equal(t, map[string]string{
		"external_company_registration_file_id": "is missing", "external_identification_file_id": "is missing",
		"external_proof_of_address_file_id": "is missing", "external_address_id": "is missing",
	}, details)
	document := uploaded(t, server, group, "copy-id")["document_id"].(string)
	complete(t, server, group)
	require.Contains(t, apitest.Want[object](t, server, http.StatusOK, http.MethodPost, path+"/submit-for-approval", nil),
		"submitted_at")
	// Under review nothing moves.
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, path+"/submit-for-approval", nil)
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, path+"/documents/"+document, nil)
	upload(t, server, group, nil, part{"document_type", "", "proof-of-address"}, part{"file", "application/pdf", pdf}).WantError(t,
		http.StatusConflict, "conflict")
	// Rejected, documents change, and it is submitted again.
	decideGroup(t, server, group, "rejected")
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, path+"/documents/"+document, nil).Status)
	require.Equal(t, map[string]string{"external_identification_file_id": "is missing"},
		server.WantError(t, http.StatusBadRequest, "invalid_status", http.MethodPost, path+"/submit-for-approval", nil))
	complete(t, server, group)
	again := apitest.Want[object](t, server, http.StatusOK, http.MethodPost, path+"/submit-for-approval", nil)
	require.Equal(t, "pending", again["status"])
	require.Nil(t, again["rejection_reason"])
	decideGroup(t, server, group, "approved")
	server.WantError(t, http.StatusConflict, "conflict", http.MethodPost, path+"/submit-for-approval", nil)
}

// complete sets what the carrier would return.
func complete(t *testing.T, server *apitest.Server, group string) {
	t.Helper()
	_, err := server.Tx.Exec(t.Context(),
		`UPDATE verification_group SET external_address_id = 'a', external_company_registration_file_id = 'c',
		external_identification_file_id = 'i', external_proof_of_address_file_id = 'p' WHERE id = $1`, group)
	require.NoError(t, err)
}

func decideGroup(t *testing.T, server *apitest.Server, group, status string) {
	t.Helper()
	_, err := server.Tx.Exec(t.Context(), `UPDATE verification_group SET status = $2, submitted_at = now(), reviewed_at = now(),
		rejection_reason = CASE WHEN $2 = 'rejected' THEN 'No.' END WHERE id = $1`, group, status)
	require.NoError(t, err)
}

func TestVerificationDocuments(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	path := groupsPath + "/" + group + "/documents"
	png := "\x89PNG\x0D\x0A\x1A\x0A" + strings.Repeat("\x00picture", 100_000)
	response := upload(t, server, group, nil, part{"file", "application/pdf", png}, part{"document_type", "", "copy-id"})
	require.Equal(t, http.StatusCreated, response.Status, "%s", response.Body)
	made := apitest.Decode[object](t, response)
	require.Equal(t, "image/png", made["content_type"], "by its bytes")
	require.EqualValues(t, len(png), made["size"])
	require.Equal(t, "stored", made["status"])
	file := server.Do(t, http.MethodGet, made["file_url"].(string), nil, "Accept", "image/png")
	require.Equal(t, http.StatusOK, file.Status)
	require.Equal(t, png, string(file.Body))
	require.Equal(t, "image/png", file.Header.Get("Content-Type"))
	require.Equal(t, "attachment; filename=copy-id.png", file.Header.Get("Content-Disposition"))
	// What lies in the store is not what was uploaded.
	var key string
	require.NoError(t, server.Tx.QueryRow(t.Context(), "SELECT file_key FROM verification_document WHERE id = $1",
		made["document_id"]).Scan(&key))
	raw, _, err := server.API.Files.Open(t.Context(), key)
	require.NoError(t, err)
	var stored bytes.Buffer
	_, err = stored.ReadFrom(raw)
	require.NoError(t, err)
	require.NoError(t, raw.Close())
	require.NotContains(t, stored.String(), "picture")

	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["data"], 1)
	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, groupsPath+"/"+group, nil)["documents"], 1)
	details := upload(t, server, group, nil, part{"document_type", "", "copy-id"}, part{"file", "application/pdf", pdf}).WantError(t,
		http.StatusConflict, "conflict")
	require.Contains(t, details, "document_type")
	server.WantError(t, http.StatusConflict, "conflict", http.MethodDelete, groupsPath+"/"+group, nil)
	one := path + "/" + made["document_id"].(string)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, one, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, one+"/file", nil)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodDelete, one, nil)
	require.Equal(t, http.StatusNoContent, server.Do(t, http.MethodDelete, groupsPath+"/"+group, nil).Status)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, groupsPath+"/"+group, nil)
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	kind, paper := part{"document_type", "", "copy-id"}, part{"file", "application/pdf", pdf}
	for name, test := range map[string]struct {
		parts []part
		field string
	}{
		"NoFile":      {[]part{kind}, "file"},
		"NoType":      {[]part{paper}, "document_type"},
		"Nothing":     {[]part{}, "file"},
		"OtherType":   {[]part{{"document_type", "", "passport"}, paper}, "document_type"},
		"NULType":     {[]part{{"document_type", "", "copy-id\x00"}, paper}, "document_type"},
		"Text":        {[]part{kind, {"file", "application/pdf", "hello"}}, "file"},
		"HTML":        {[]part{kind, {"file", "image/png", "<html><script>"}}, "file"},
		"Program":     {[]part{kind, {"file", "image/png", "\x7fELF"}}, "file"},
		"Empty":       {[]part{kind, {"file", "application/pdf", ""}}, "file"},
		"TwoFiles":    {[]part{kind, paper, paper}, "body"},
		"AnotherPart": {[]part{kind, paper, {"size", "", "5"}}, "body"},
	} {
		require.Contains(t, upload(t, server, group, nil, test.parts...).WantError(t, http.StatusBadRequest, "invalid_request"),
			test.field, name)
	}
	body, contentType := form(t, kind, paper)
	path := groupsPath + "/" + group + "/documents"
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, path, body[:len(body)-10], "Content-Type",
		contentType)
	server.WantError(t, http.StatusBadRequest, "invalid_request", http.MethodPost, path, body, "Content-Type", "multipart/form-data")
	server.WantError(t, http.StatusUnsupportedMediaType, "unsupported_media_type", http.MethodPost, path, `{}`)
	large := part{"file", "application/pdf", pdf + strings.Repeat("x", 20<<20)}
	upload(t, server, group, nil, kind, large).WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large")
	server.WantError(t, http.StatusRequestEntityTooLarge, "payload_too_large", http.MethodPost, path, strings.Repeat("x", 21<<20),
		"Content-Type", contentType)
	server.WantError(t, http.StatusUnsupportedMediaType, "unsupported_media_type", http.MethodPost, "/v1/contacts", body,
		"Content-Type", contentType)
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["data"])
	// Exactly 20 MiB is taken.
	whole := part{"file", "application/pdf", pdf + strings.Repeat("x", 20<<20-len(pdf))}
	require.Equal(t, http.StatusCreated, upload(t, server, group, nil, kind, whole).Status)
}

// A repetition under one key is the same upload, though its boundary is another.
func TestUploadIdempotency(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group, key := makeGroup(t, server), []string{"Idempotency-Key", "k1"}
	kind, paper := part{"document_type", "", "copy-id"}, part{"file", "application/pdf", pdf}
	first := upload(t, server, group, key, kind, paper)
	require.Equal(t, http.StatusCreated, first.Status, "%s", first.Body)
	again := upload(t, server, group, key, kind, paper)
	require.Equal(t, http.StatusCreated, again.Status)
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.JSONEq(t, string(first.Body), string(again.Body))
	upload(t, server, group, key, kind, part{"file", "application/pdf", pdf + "!"}).WantError(t, http.StatusConflict,
		"idempotency_conflict")
}

// Another account's groups and documents are not there, and nothing of them changes.
func TestVerificationIsTenantSafe(t *testing.T) {
	t.Parallel()

	server := apitest.New(t)
	group := makeGroup(t, server)
	document := uploaded(t, server, group, "copy-id")["document_id"].(string)
	path := groupsPath + "/" + group
	_, foreign := apitest.NewCustomer(t, server.Tx, server.API.Seal)
	mine := server.Key
	server.Key = foreign
	for _, request := range [][2]string{
		{http.MethodGet, path}, {http.MethodDelete, path}, {http.MethodPost, path + "/submit-for-approval"},
		{http.MethodGet, path + "/documents"},
		{http.MethodDelete, path + "/documents/" + document}, {http.MethodGet, path + "/documents/" + document + "/file"},
		{http.MethodGet, path + "/available-phone-numbers"}, {http.MethodGet, groupsPath + "/nonsense"},
	} {
		server.WantError(t, http.StatusNotFound, "not_found", request[0], request[1], nil)
	}
	upload(t, server, group, nil, part{"document_type", "", "copy-id"}, part{"file", "application/pdf", pdf}).WantError(t,
		http.StatusNotFound, "not_found")
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodPost, path+"/order-number",
		object{"phone_number": "+31200000001"})
	require.Empty(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, groupsPath, nil)["data"])
	other := makeGroup(t, server)
	server.WantError(t, http.StatusNotFound, "not_found", http.MethodGet, groupsPath+"/"+other+"/documents/"+document+"/file", nil)
	server.Key = mine
	require.Len(t, apitest.Want[object](t, server, http.StatusOK, http.MethodGet, path, nil)["documents"], 1)
}
