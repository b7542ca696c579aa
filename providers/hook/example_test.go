package hook_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/callwright/callwright/providers/fault"
	"github.com/callwright/callwright/providers/hook"
)

// A customer's server verifies the signature with its secret and accepts the event.
func ExampleClient_Post() {
	secret := hook.NewSecret()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if err := webhook.Verify(body, r.Header); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		fmt.Println("received", r.Header.Get("webhook-id"), string(body))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()

	// A customer's server is on a public address. This one is on loopback, which has to be allowed.
	client := hook.New(hook.Config{UserAgent: "Callwright", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	defer client.Close()
	response, err := client.Post(context.Background(), hook.Post{
		URL: server.URL, ID: "0192f0c5-33d1-7b6a-8d0e-6a1f9b2c4e10", Secrets: []string{secret},
		Body: []byte(`{"message":{"type":"hang"}}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("status", response.Status)
	// Output:
	// received 0192f0c5-33d1-7b6a-8d0e-6a1f9b2c4e10 {"message":{"type":"hang"}}
	// status 204
}

// An address in a private network fails with a fault before anything is sent.
func ExampleClient_HTTP() {
	client := hook.New(hook.Config{})
	defer client.Close()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://169.254.169.254/latest/meta-data",
		http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	response, err := client.HTTP().Do(request)
	if err == nil {
		response.Body.Close()
	}
	kind, _ := fault.Of(err)
	fmt.Println(kind)
	// Output: refused
}
