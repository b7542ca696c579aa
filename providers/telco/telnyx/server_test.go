package telnyx_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const testKey = "KEY_test"

type object = map[string]any

// server responds as Telnyx documents: data in an envelope, except for requirement groups; errors as a list;
// codes, prices and ids as text; 202-like states that come to their end only when the test says so.
type server struct {
	mu        sync.Mutex
	next      int
	addresses []object
	documents []object
	groups    []object
	orders    []object
	owned     []object
	posts     map[string]int // by path
	accepted  bool           // an order is stored, but its response is lost
}

func newServer(t *testing.T) (*server, string) {
	t.Helper()
	s := &server{posts: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v2/addresses", s.list(&s.addresses, "filter[customer_reference][eq]", "customer_reference"))
	mux.HandleFunc("POST /v2/addresses", s.createAddress)
	mux.HandleFunc("GET /v2/documents", s.list(&s.documents, "filter[customer_reference][eq]", "customer_reference"))
	mux.HandleFunc("POST /v2/documents", s.createDocument)
	mux.HandleFunc("GET /v2/regulatory_requirements", s.requirements)
	mux.HandleFunc("GET /v2/requirement_groups", s.listGroups)
	mux.HandleFunc("POST /v2/requirement_groups", s.createGroup)
	mux.HandleFunc("GET /v2/requirement_groups/{id}", s.getGroup)
	mux.HandleFunc("POST /v2/requirement_groups/{id}/submit_for_approval", s.submitGroup)
	mux.HandleFunc("GET /v2/comments", s.comments)
	mux.HandleFunc("GET /v2/available_phone_numbers", s.available)
	mux.HandleFunc("GET /v2/number_orders", s.list(&s.orders, "filter[customer_reference]", "customer_reference"))
	mux.HandleFunc("POST /v2/number_orders", s.createOrder)
	mux.HandleFunc("GET /v2/phone_numbers", s.list(&s.owned, "filter[phone_number]", "phone_number"))
	mux.HandleFunc("DELETE /v2/phone_numbers/{id}", s.deleteNumber)
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+testKey {
			problem(w, http.StatusUnauthorized, "10009", "Authentication failed")
			return
		}
		if r.Method == http.MethodPost {
			s.posts[r.URL.Path]++
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(listening.Close)
	return s, listening.URL + "/v2"
}

func problem(w http.ResponseWriter, status int, code, title string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(object{"errors": []object{{"code": code, "title": title, "detail": "as documented"}}})
}

func response(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(body)
}

func (s *server) id(prefix string) string {
	s.next++
	return fmt.Sprintf("%s-%d", prefix, s.next)
}

func (s *server) list(of *[]object, filter, field string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		response(w, object{"data": matching(*of, field, r.URL.Query().Get(filter)), "meta": object{"page_number": 1}})
	}
}

func matching(all []object, field, value string) []object {
	found := []object{}
	for _, one := range all {
		if one[field] == value {
			found = append(found, one)
		}
	}
	return found
}

func body(w http.ResponseWriter, r *http.Request, required ...string) object {
	var read object
	if json.NewDecoder(r.Body).Decode(&read) != nil {
		problem(w, http.StatusBadRequest, "10023", "Invalid JSON")
		return nil
	}
	for _, name := range required {
		if _, given := read[name]; !given {
			problem(w, http.StatusUnprocessableEntity, "10004", "Missing required parameter "+name)
			return nil
		}
	}
	return read
}

func (s *server) createAddress(w http.ResponseWriter, r *http.Request) {
	read := body(w, r, "first_name", "last_name", "business_name", "street_address", "locality", "country_code")
	if read == nil {
		return
	}
	read["id"], read["record_type"] = s.id("1293384261"), "address"
	s.addresses = append(s.addresses, read)
	response(w, object{"data": read})
}

func (s *server) createDocument(w http.ResponseWriter, r *http.Request) {
	file, header, err := r.FormFile("file")
	if err != nil {
		problem(w, http.StatusUnprocessableEntity, "10004", "Missing file")
		return
	}
	content, _ := io.ReadAll(file)
	made := object{
		"id": s.id("6a09cdc3"), "record_type": "document", "status": "pending", "av_scan_status": "pending_scan",
		"filename": header.Filename,
		"size":     object{"amount": len(content), "unit": "bytes"}, "customer_reference": r.FormValue("customer_reference"),
	}
	s.documents = append(s.documents, made)
	response(w, object{"data": made})
}

func (s *server) requirements(w http.ResponseWriter, r *http.Request) {
	response(w, object{"data": []object{{
		"country_code": "NL", "phone_number_type": r.URL.Query().Get("filter[phone_number_type]"), "action": "ordering",
		"regulatory_requirements": []object{
			{"id": "r-addr", "name": "Business address", "field_type": "address"},
			{"id": "r-proof", "name": "Proof of address", "field_type": "document"},
			{"id": "r-kvk", "name": "Company registration (KvK)", "field_type": "document"},
			{"id": "r-id", "name": "Identification of the signatory", "field_type": "document_id"},
			{"id": "r-name", "name": "Business name", "field_type": "textual"},
			{"id": "r-contact", "name": "Contact person", "field_type": "textual"},
			{"id": "r-phone", "name": "Contact phone number", "field_type": "textual"},
		},
	}}})
}

func (s *server) listGroups(w http.ResponseWriter, r *http.Request) {
	response(w, matching(s.groups, "customer_reference", r.URL.Query().Get("filter[customer_reference]")))
}

func (s *server) createGroup(w http.ResponseWriter, r *http.Request) {
	read := body(w, r, "country_code", "phone_number_type", "action", "regulatory_requirements")
	if read == nil {
		return
	}
	read["id"], read["record_type"], read["status"] = s.id("g"), "requirement_group", "unapproved"
	s.groups = append(s.groups, read)
	response(w, read)
}

func (s *server) withGroup(w http.ResponseWriter, r *http.Request, do func(object)) {
	found := matching(s.groups, "id", r.PathValue("id"))
	if len(found) == 0 {
		problem(w, http.StatusNotFound, "10005", "Resource not found")
		return
	}
	do(found[0])
	response(w, found[0])
}

func (s *server) getGroup(w http.ResponseWriter, r *http.Request) {
	s.withGroup(w, r, func(object) {})
}

func (s *server) submitGroup(w http.ResponseWriter, r *http.Request) {
	s.withGroup(w, r, func(group object) { group["status"] = "pending-approval" })
}

func (s *server) comments(w http.ResponseWriter, r *http.Request) {
	record := r.URL.Query().Get("filter[comment_record_id]")
	response(w, object{"data": []object{
		{"body": "Older words.", "commenter_type": "admin", "created_at": "2026-01-01T00:00:00Z", "comment_record_id": record},
		{"body": "The name does not match.", "commenter_type": "admin", "created_at": "2026-01-02T00:00:00Z",
			"comment_record_id": record},
		{"body": "Why?", "commenter_type": "user", "created_at": "2026-01-03T00:00:00Z", "comment_record_id": record},
	}})
}

func (s *server) sold(number string) bool {
	for _, order := range s.orders {
		if order["number"] == number && order["status"] != "failure" && order["released"] != true {
			return true
		}
	}
	return false
}

func (s *server) available(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var limit int
	fmt.Sscan(query.Get("filter[limit]"), &limit)
	found := []object{}
	for n := 0; len(found) < limit; n++ {
		number := fmt.Sprintf("+31%s%07d", query.Get("filter[national_destination_code]"), 5550000+n)
		if !s.sold(number) {
			found = append(found, object{
				"record_type": "available_phone_number", "phone_number": number, "features": []object{{"name": "voice"}},
				"cost_information": object{"upfront_cost": "1.00", "monthly_cost": "1.00", "currency": "USD"},
			})
		}
	}
	response(w, object{"data": found, "meta": object{"total_results": len(found)}})
}

func (s *server) createOrder(w http.ResponseWriter, r *http.Request) {
	read := body(w, r, "phone_numbers")
	if read == nil {
		return
	}
	number := read["phone_numbers"].([]any)[0].(object)["phone_number"].(string)
	if s.sold(number) {
		problem(w, http.StatusUnprocessableEntity, "10027", "The number is not available")
		return
	}
	read["id"], read["record_type"], read["status"], read["number"] = s.id("o"), "number_order", "pending", number
	s.orders = append(s.orders, read)
	if s.accepted {
		panic(http.ErrAbortHandler)
	}
	response(w, object{"data": read})
}

func (s *server) deleteNumber(w http.ResponseWriter, r *http.Request) {
	for i, number := range s.owned {
		if number["id"] == r.PathValue("id") {
			s.owned = append(s.owned[:i], s.owned[i+1:]...)
			for _, order := range s.orders {
				if order["number"] == number["phone_number"] {
					order["released"] = true
				}
			}
			response(w, object{"data": number})
			return
		}
	}
	problem(w, http.StatusNotFound, "10005", "Resource not found")
}

// settle completes what is pending.
func (s *server) settle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, group := range s.groups {
		if group["status"] == "pending-approval" {
			group["status"] = "approved"
			if text, _ := json.Marshal(group); strings.Contains(string(text), "REJECT") {
				group["status"] = "declined"
			}
		}
	}
	for _, order := range s.orders {
		if order["status"] == "pending" {
			order["status"] = "success"
			s.owned = append(s.owned, object{"id": s.id("n"), "phone_number": order["number"], "record_type": "phone_number"})
		}
	}
}
