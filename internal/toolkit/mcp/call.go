package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/excerpt"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

const (
	// stuckAfter is how long a call may go on after its end was asked for, before its
	// connection is given up.
	stuckAfter = 3 * time.Second
	// maxMessage bounds a server's own words in a fault, in bytes.
	maxMessage = 4 << 10
)

// call has the server run its tool. The end of ctx is told to the server.
func (s *server) call(ctx context.Context, in tool.Invocation, theirs string) tool.Outcome {
	l, why := s.current()
	if l == nil {
		return tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: fmt.Sprintf(
			"the MCP server %s is down and is being tried again; the call was not run: %v", s.spec.Name, why)})
	}
	bounded, cancel := context.WithTimeout(ctx, s.spec.Timeout)
	defer cancel()
	returned := make(chan struct{})
	defer close(returned)
	// The SDK waits in a write for as long as the server does not read.
	defer context.AfterFunc(bounded, func() {
		timer := time.NewTimer(stuckAfter)
		defer timer.Stop()
		select {
		case <-returned:
		case <-timer.C:
			l.way.abort()
		}
	})()
	result, err := l.session.CallTool(bounded, &sdk.CallToolParams{Name: theirs, Arguments: json.RawMessage(in.Args.Canonical())})
	switch {
	case err == nil:
		return outcome(ctx, in, result)
	case ctx.Err() != nil:
		return tool.Indeterminate("It was interrupted while the MCP server " + s.spec.Name + " ran it.")
	case bounded.Err() != nil:
		return tool.Indeterminate(fmt.Sprintf("The MCP server %s did not answer within %v.", s.spec.Name, s.spec.Timeout))
	}
	return s.refused(l, err)
}

// The codes of JSON-RPC by which a server refuses a call, and those that the SDK
// itself gives when there is no connection to answer any more.
const (
	codeNoMethod  = -32601
	codeArguments = -32602
)

func ofConnection(code int64) bool { return code <= -32003 && code >= -32006 }

// refused is the outcome of a call that ended without a result.
func (s *server) refused(l *link, err error) tool.Outcome {
	if errors.Is(err, sdk.ErrSessionMissing) {
		l.way.abort()
		return tool.Failed(&tool.Fault{Kind: tool.FaultUnavailable, Retryable: true, Message: fmt.Sprintf(
			"the MCP server %s was started anew and did not take the call; try again shortly", s.spec.Name)})
	}
	var said *jsonrpc.Error
	if errors.As(err, &said) && !errors.Is(err, sdk.ErrConnectionClosed) && !ofConnection(said.Code) {
		kind := tool.FaultTool
		switch said.Code {
		case codeArguments:
			kind = tool.FaultArguments
		case codeNoMethod:
			kind = tool.FaultNotAvailable
		}
		return tool.Failed(tool.Faultf(kind, "the MCP server %s refused the call: %s", s.spec.Name, ownWords(said.Message)))
	}
	// Who cannot be asked once cannot be asked again: a new connection may do better.
	l.way.abort()
	s.log.Warn("a call of an MCP server lost its connection", "error", err)
	return tool.Indeterminate("The connection to the MCP server " + s.spec.Name + " ended before it answered.")
}

// ownWords are a server's, bounded and without our secrets.
func ownWords(text string) string { return excerpt.Head(secret.Default.Redact(text), maxMessage) }
