package wirekit

import (
	"context"
	"encoding/json"
	"testing"
)

// NewCalls is at least how many new calls a run's quota must allow within one pass of the checks.
const NewCalls = 60

// Target is a gateway to check, with two live runs on it. All fields are required.
type Target struct {
	BaseURL                    string // Prefix included
	RunID, Token               string // the run that calls; it may make NewCalls new calls
	ForeignRunID, ForeignToken string // another live run of the same gateway
	Toolkit, Function          string // granted to RunID; completes by itself and soon, with either of the arguments
	Args, OtherArgs            json.RawMessage
}

// Result is the outcome of one check; a nil Err means that it holds. Err says what was expected and what came.
type Result struct {
	Name string
	Err  error
}

type check struct {
	name string
	run  func(context.Context, *probe) error
}

func checks() []check {
	return []check{
		{"new call is accepted and completes", checkLifecycle},
		{"receipt has nine fields", checkReceiptFields},
		{"digest is canonical", checkDigests},
		{"absent arguments are an empty object", checkAbsentArguments},
		{"identical submission joins", checkJoin},
		{"submission spelt otherwise joins", checkRespelt},
		{"other arguments conflict", checkConflict},
		{"call ids are opaque", checkOpaqueIDs},
		{"scheme of the bearer is case-insensitive", checkScheme},
		{"refusals of a capability are uniform", checkUniformRefusals},
		{"body of 65,536 bytes is read", checkLargestBody},
		{"body of 65,537 bytes is refused", checkTooLarge},
		{"malformed content length is refused", checkContentLength},
		{"malformed bodies are refused", checkMalformed},
		{"refused bodies leave no call", checkNoTrace},
		{"call outlives its submitter", checkLostSubmitter},
	}
}

// Examine runs every check in order and returns all results. It leaves calls of the run behind, and nothing else.
func Examine(ctx context.Context, target Target) []Result {
	p := newProbe(target)
	defer p.client.CloseIdleConnections()
	var results []Result
	for _, c := range checks() {
		results = append(results, Result{Name: c.name, Err: c.run(ctx, p)})
	}
	return results
}

// CheckGateway is Examine as subtests.
func CheckGateway(t *testing.T, target Target) {
	t.Helper()
	for _, result := range Examine(t.Context(), target) {
		t.Run(result.Name, func(t *testing.T) {
			if result.Err != nil {
				t.Error(result.Err)
			}
		})
	}
}
