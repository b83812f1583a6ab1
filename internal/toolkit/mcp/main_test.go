package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

// patience bounds every wait in these tests; it is never slept.
const patience = 60 * time.Second

// asServer makes this program an MCP server over its standard input and output.
const asServer = "MCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(asServer); folder != "" {
		fmt.Fprintln(os.Stderr, "the test server says hello")
		if err := testServer(folder).Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(run(m))
}

// run builds the real supervisor once for all tests.
func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "mcp")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mindroom-supervise")
	build := exec.Command("go", "build", "-o", path, "mindroom/cmd/mindroom-supervise")
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build supervisor: %v\n%s", err, out))
	}
	os.Setenv("MINDROOM_SUPERVISE", path)
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// testServer is a server whose tools do to its client what servers do. It writes
// what tests look at into folder.
func testServer(folder string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	object := func(more string) json.RawMessage { return json.RawMessage(`{"type":"object"` + more + `}`) }
	add := func(name, schema string, run func(context.Context, json.RawMessage) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Test " + name, InputSchema: object(schema)},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return run(ctx, r.Params.Arguments)
			})
	}
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	write := func(name, what string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(what), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	add("echo", `,"properties":{"text":{"type":"string"}}`, func(_ context.Context, args json.RawMessage) (*sdk.CallToolResult, error) {
		return text(string(args)), nil
	})
	add("where", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return text(strconv.Itoa(os.Getpid()) + "\n" + strings.Join(os.Environ(), "\n")), nil
	})
	add("data", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		r := text("a picture")
		r.StructuredContent = map[string]any{"n": 7}
		r.Content = append(r.Content, &sdk.ImageContent{Data: []byte("png"), MIMEType: "image/png"})
		return r, nil
	})
	add("fail", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		r := text("no such record")
		r.IsError = true
		return r, nil
	})
	add("refuse", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return nil, errors.New("refused inside")
	})
	add("much", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return text(strings.Repeat("x", maxText+1)), nil
	})
	add("hang", "", func(ctx context.Context, _ json.RawMessage) (*sdk.CallToolResult, error) {
		write("hanging", "")
		<-ctx.Done()
		write("cancelled", "")
		return nil, ctx.Err()
	})
	add("die", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	add("grow", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		add("grown", "", func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) { return text("grown"), nil })
		return text("done"), nil
	})
	add("remote", `,"properties":{"a":{"$ref":"https://schemas.example.org/a.json"}}`, func(context.Context, json.RawMessage) (*sdk.CallToolResult, error) {
		return text(""), nil
	})
	return s
}
