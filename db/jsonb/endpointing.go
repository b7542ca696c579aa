package jsonb

// CustomEndpointing is the provider of a smart endpointing plan whose server says when the caller's turn is over.
const CustomEndpointing = "custom-endpointing-model"

// EndpointingServer reads from a start speaking plan which server is asked for how long the caller may go on; wanted is false
// where none is to be asked, or it cannot be read. A nil server is the assistant's, else the account's webhook.
func EndpointingServer(plan map[string]any, wrong func(path, why string)) (server *ToolServer, wanted bool) {
	smart := planObject(plan, "smartEndpointingPlan")
	if smart["provider"] != CustomEndpointing {
		return nil, false
	}
	reader := &toolReader{wrong: wrong}
	server = reader.server("start_speaking_plan.smartEndpointingPlan", smart["server"])
	return server, !reader.failed
}
