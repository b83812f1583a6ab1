package wirekit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"mindroom/internal/canonical"
)

func checkLifecycle(ctx context.Context, p *probe) error {
	id := newCallID()
	receipt, err := p.perform(ctx, id, p.Args)
	if err != nil {
		return err
	}
	if receipt.State != "completed" || receipt.Error != nil {
		return fmt.Errorf("want a completed receipt without error, got state %s, error %+v", receipt.State, receipt.Error)
	}
	if receipt.RunID != p.RunID || receipt.CallID != id || receipt.ToolkitName != p.Toolkit || receipt.FunctionName != p.Function {
		return fmt.Errorf("receipt names another call: %+v", receipt)
	}
	again, err := p.settle(ctx, id)
	if err != nil {
		return err
	}
	if !bytes.Equal(encode(again), encode(receipt)) {
		return fmt.Errorf("final receipt changed from %+v to %+v", receipt, again)
	}
	return nil
}

func checkReceiptFields(ctx context.Context, p *probe) error {
	id := newCallID()
	posted, err := p.post(ctx, p.body(id, p.Args))
	if err != nil {
		return err
	}
	polled, err := p.get(ctx, id)
	if err != nil {
		return err
	}
	for _, a := range []answer{posted, polled} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(a.body, &fields); err != nil {
			return fmt.Errorf("want a receipt, got %s", a)
		}
		want := []string{"arguments_digest", "call_id", "created_at", "error", "function_name", "result", "run_id", "state", "toolkit_name"}
		if got := slices.Sorted(maps.Keys(fields)); !slices.Equal(got, want) {
			return fmt.Errorf("receipt has fields %v, want %v", got, want)
		}
		if kind := a.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
			return fmt.Errorf("receipt has content type %q, want application/json", kind)
		}
		var created string
		if err := json.Unmarshal(fields["created_at"], &created); err != nil {
			return fmt.Errorf("created_at is no string: %s", fields["created_at"])
		}
		if _, err := time.Parse(time.RFC3339Nano, created); err != nil {
			return fmt.Errorf("created_at is no RFC 3339 time: %w", err)
		}
	}
	_, err = p.settle(ctx, id)
	return err
}

func checkDigests(ctx context.Context, p *probe) error {
	for _, text := range []string{
		`{"b":1,"a":2}`,
		`{"n":1.0,"i":1,"e":1e16,"s":0.00001,"z":-0.0,"big":123456789012345678901234567890}`,
		`{"s":"<>&\u2028\u007f\u0000/\\\"\n"}`,
		`{"é":"😀","\uffff":1,"😀":2,"A":3}`,
		`{"a":1,"a":2}`,
		`{"i":-0,"j":9007199254740993}`,
	} {
		doc, err := canonical.Parse([]byte(text), canonical.Limits{})
		if err != nil {
			return err
		}
		id := newCallID()
		// By hand, because an encoder would tidy the arguments up.
		body := fmt.Sprintf(`{"run_id":%q,"call_id":%q,"toolkit_name":%q,"function_name":%q,"arguments":%s}`, p.RunID, id, p.Toolkit, p.Function, text)
		receipt, err := p.submit(ctx, []byte(body))
		if err != nil {
			return err
		}
		if receipt.ArgumentsDigest != doc.Digest() {
			return fmt.Errorf("%s has digest %s, want %s", text, receipt.ArgumentsDigest, doc.Digest())
		}
		if _, err := p.settle(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func checkAbsentArguments(ctx context.Context, p *probe) error {
	body := encode(map[string]any{"run_id": p.RunID, "call_id": newCallID(), "toolkit_name": p.Toolkit, "function_name": p.Function})
	receipt, err := p.submit(ctx, body)
	if err == nil && receipt.ArgumentsDigest != canonical.EmptyObject.Digest() {
		err = fmt.Errorf("digest %s, want that of {}: %s", receipt.ArgumentsDigest, canonical.EmptyObject.Digest())
	}
	return err
}

func checkJoin(ctx context.Context, p *probe) error {
	id := newCallID()
	first, err := p.perform(ctx, id, p.Args)
	if err != nil {
		return err
	}
	for range 3 {
		again, err := p.submit(ctx, p.body(id, p.Args))
		if err != nil {
			return err
		}
		if !bytes.Equal(encode(again), encode(first)) {
			return fmt.Errorf("repeated submission gave %+v, want the first receipt %+v", again, first)
		}
	}
	return nil
}

func checkRespelt(ctx context.Context, p *probe) error {
	id := newCallID()
	first, err := p.perform(ctx, id, p.Args)
	if err != nil {
		return err
	}
	var respelt bytes.Buffer
	if err := json.Indent(&respelt, p.body(id, p.Args), "", "\t"); err != nil {
		return err
	}
	again, err := p.submit(ctx, respelt.Bytes())
	if err == nil && again.CreatedAt != first.CreatedAt {
		err = errors.New("white space made a new call of an old one")
	}
	return err
}

func checkConflict(ctx context.Context, p *probe) error {
	id := newCallID()
	first, err := p.perform(ctx, id, p.Args)
	if err != nil {
		return err
	}
	a, err := p.post(ctx, p.body(id, p.OtherArgs))
	if err != nil {
		return err
	}
	if err := a.refused(http.StatusConflict); err != nil {
		return err
	}
	after, err := p.settle(ctx, id)
	if err == nil && !bytes.Equal(encode(after), encode(first)) {
		err = fmt.Errorf("a conflict changed the receipt from %+v to %+v", first, after)
	}
	return err
}

func checkOpaqueIDs(ctx context.Context, p *probe) error {
	for _, id := range []string{"a/b c?d#e%2F", strings.Repeat("é", 128), "x", `"quoted"\`} {
		id = id + newCallID()[:max(0, min(8, 128-len([]rune(id))))]
		receipt, err := p.perform(ctx, id, p.Args)
		if err != nil {
			return fmt.Errorf("call id %q: %w", id, err)
		}
		if receipt.CallID != id {
			return fmt.Errorf("call id %q came back as %q", id, receipt.CallID)
		}
		// A poll is its own request with the id in the path, so ask for it even when the submission was final.
		if _, err := p.settle(ctx, id); err != nil {
			return fmt.Errorf("poll of call id %q: %w", id, err)
		}
	}
	return nil
}
