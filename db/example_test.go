package db_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/callwright/callwright/db"
)

// Callers that ask at the same time share a query; each gets the value of its own key.
func ExampleBatcher() {
	names := db.NewBatcher(func(_ context.Context, ids []int) (map[int]string, error) {
		// Here stands one statement for all of them: SELECT id, name FROM person WHERE id = ANY ($1).
		table, found := map[int]string{1: "Ada", 2: "Bram", 3: "Cees"}, map[int]string{}
		for _, id := range ids {
			found[id] = table[id]
		}
		return found, nil
	})
	defer names.Close()

	var callers sync.WaitGroup
	greetings := make([]string, 3)
	for i := range greetings {
		callers.Go(func() {
			name, err := names.Do(context.Background(), i+1)
			greetings[i] = fmt.Sprintf("Hello, %s: %v", name, err)
		})
	}
	callers.Wait()
	for _, greeting := range greetings {
		fmt.Println(greeting)
	}

	// Output:
	// Hello, Ada: <nil>
	// Hello, Bram: <nil>
	// Hello, Cees: <nil>
}
