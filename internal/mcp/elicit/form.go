package elicit

// field is the form's only field.
const field = "answer"

// Form is the parameters of an elicitation that shows message with a choice
// between words; no words: a line of text.
func Form(message string, words []string) map[string]any {
	return map[string]any{"message": message, "requestedSchema": Schema(words)}
}

// Schema is the form's schema.
func Schema(words []string) map[string]any {
	answer := map[string]any{"type": "string", "title": "Your answer"}
	if len(words) > 0 {
		answer["enum"] = words
	}
	return map[string]any{"type": "object", "properties": map[string]any{field: answer}, "required": []string{field}}
}

// Answer reads what a form came to: the action and the content of the result.
func Answer(action string, content map[string]any) (string, Outcome) {
	switch action {
	case "accept":
		word, _ := content[field].(string)
		return word, Chosen
	case "decline":
		return "", Declined
	}
	return "", Closed
}
