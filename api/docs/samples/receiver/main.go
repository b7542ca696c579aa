package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	verifier, err := standardwebhooks.NewWebhook(os.Getenv("WEBHOOK_SECRET"))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil || verifier.Verify(body, r.Header) != nil {
			http.Error(w, "not from Callwright", http.StatusUnauthorized)
			return
		}
		var event struct {
			Message struct {
				Type, EndedReason, Summary string
				Call                       struct{ ID string }
			}
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if message := event.Message; message.Type == "end-of-call-report" {
			log.Println(message.Call.ID, message.EndedReason, message.Summary)
		}
		w.WriteHeader(http.StatusNoContent) // taken: it is not sent again
	})
	log.Fatal(http.ListenAndServe(":3000", nil))
}
