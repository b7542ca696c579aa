package jsonb

// RegexWithOptions is the pattern of an endpointing rule with its regexOptions: a list of {type, enabled}.
func RegexWithOptions(pattern string, options any) string {
	list, _ := options.([]any)
	for _, item := range list {
		option, _ := item.(map[string]any)
		if enabled, _ := option["enabled"].(bool); !enabled {
			continue
		}
		switch option["type"] {
		case "ignore-case":
			pattern = "(?i)" + pattern
		case "multi-line":
			pattern = "(?m)" + pattern
		case "whole-word":
			pattern = `\b(?:` + pattern + `)\b`
		case "strict":
			pattern = `^(?:` + pattern + `)$`
		}
	}
	return pattern
}
