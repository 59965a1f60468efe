package frame

import "encoding/json"

// The JSON-RPC error codes that mayi answers with itself.
const (
	CodeParse         = -32700
	CodeInvalid       = -32600
	CodeNoMethod      = -32601
	CodeInvalidParams = -32602
	CodeInternal      = -32603
	// CodeVersion says that a protocol version is not supported.
	CodeVersion = -32022
)

// Failure is an error answer to the request with this id; nil is null.
func Failure(id json.RawMessage, code int, message string, data any) []byte {
	type problem struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   problem         `json:"error"`
	}{"2.0", orNull(id), problem{code, message, data}})
}

// Success is an answer to the request with this id.
func Success(id json.RawMessage, result any) []byte {
	return encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", orNull(id), result})
}

// Call is a request; with an id of "" a notification.
func Call(id, method string, params any) []byte {
	return encode(struct {
		Version string `json:"jsonrpc"`
		ID      string `json:"id,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{"2.0", id, method, params})
}

func orNull(id json.RawMessage) json.RawMessage {
	if len(id) == 0 {
		return json.RawMessage("null")
	}
	return id
}

// encode is for values that can be encoded; what cannot be is an answer that
// says so.
func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"an answer could not be written"}}`)
	}
	return raw
}
