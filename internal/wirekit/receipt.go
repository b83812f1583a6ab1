package wirekit

import "encoding/json"

// Receipt is what both routes answer: exactly these nine fields (S36). Result and Error are null when absent.
type Receipt struct {
	RunID           string          `json:"run_id"`
	CallID          string          `json:"call_id"`
	ToolkitName     string          `json:"toolkit_name"`
	FunctionName    string          `json:"function_name"`
	ArgumentsDigest string          `json:"arguments_digest"`
	State           string          `json:"state"`
	CreatedAt       string          `json:"created_at"`
	Result          json.RawMessage `json:"result"`
	Error           *ReceiptError   `json:"error"`
}

// ReceiptError says why a call did not complete. Kind is a stable word; Retryable says whether a new call may succeed unchanged.
type ReceiptError struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
}

// Terminal tells whether the receipt will not change any more.
func (r Receipt) Terminal() bool { return r.State != "pending" }
