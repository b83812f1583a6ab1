package mcp

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/canonical"
	"mindroom/internal/excerpt"
	"mindroom/internal/media"
	"mindroom/internal/tool"
)

const (
	// maxText bounds the text of one result in bytes, maxStructured its data.
	maxText       = 256 << 10
	maxStructured = 1 << 20
	// maxFiles bounds the files of one result, maxFile each in bytes.
	maxFiles = 8
	maxFile  = 8 << 20
)

// result is what a call returns.
type result struct {
	// Text is all the text of the result, one part a paragraph.
	Text string `json:"text"`
	// Structured is the data beside it, as the server gave it.
	Structured any `json:"structured,omitempty"`
	// Files describe pictures and files that go beside the result.
	Files []keptFile `json:"files,omitempty"`
	// Notes say what was left out.
	Notes []string `json:"notes,omitempty"`
}

// keptFile is a file of a result.
type keptFile struct {
	// AttachmentID is the id under which matrix_message can send it.
	AttachmentID string `json:"attachment_id"`
	MIME         string `json:"mime_type"`
	Bytes        int    `json:"bytes"`
}

// gathering collects one result.
type gathering struct {
	in    tool.Invocation
	out   result
	texts []string
	media []media.Ref
	parts int
}

// outcome makes what a server answered an outcome.
func outcome(ctx context.Context, in tool.Invocation, r *sdk.CallToolResult) tool.Outcome {
	g := &gathering{in: in}
	for _, content := range r.Content {
		g.take(ctx, content)
	}
	g.out.Text = strings.ToValidUTF8(strings.Join(g.texts, "\n\n"), "�")
	if r.IsError {
		text := ownWords(g.out.Text)
		if text == "" {
			text = "the tool failed and did not say why"
		}
		return tool.Failed(tool.Faultf(tool.FaultTool, "%s", text))
	}
	if r.NeedsInput() {
		return tool.Failed(tool.Faultf(tool.FaultTool, "the tool asks for more input, which nobody here can give; give it all it needs as arguments"))
	}
	if n := len(g.out.Text); n > maxText {
		g.out.Text = excerpt.Head(g.out.Text, maxText)
		g.note("The text had %d bytes; only its beginning is here.", n)
	}
	if r.StructuredContent != nil {
		doc, err := canonical.FromValue(r.StructuredContent)
		switch {
		case err != nil:
			return tool.Failed(tool.Faultf(tool.FaultResult, "the tool's structured result is not strict JSON: %v", err))
		case len(doc.Canonical()) > maxStructured:
			return tool.Failed(tool.Faultf(tool.FaultTooLarge, "the tool's structured result has more than %d bytes; ask it for less", maxStructured))
		}
		g.out.Structured = r.StructuredContent
	}
	doc, err := canonical.FromValue(g.out)
	if err != nil {
		return tool.Failed(tool.Faultf(tool.FaultResult, "the tool's result is not strict JSON: %v", err))
	}
	done := tool.Completed(doc.Canonical())
	done.Media = g.media
	return done
}

func (g *gathering) note(format string, args ...any) {
	g.out.Notes = append(g.out.Notes, fmt.Sprintf(format, args...))
}

func (g *gathering) take(ctx context.Context, content sdk.Content) {
	switch c := content.(type) {
	case *sdk.TextContent:
		g.texts = append(g.texts, c.Text)
	case *sdk.ImageContent:
		g.keep(ctx, c.Data, c.MIMEType)
	case *sdk.AudioContent:
		g.keep(ctx, c.Data, c.MIMEType)
	case *sdk.ResourceLink:
		// An address is for people and models to read; we fetch nothing.
		g.texts = append(g.texts, strings.TrimSpace(c.Name+" "+c.URI))
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
		case c.Resource.Blob != nil:
			g.keep(ctx, c.Resource.Blob, c.Resource.MIMEType)
		default:
			g.texts = append(g.texts, c.Resource.Text)
		}
	default:
		g.note("A part of a kind that is not known here was left out.")
	}
}

// keep stores a file of the result; what cannot be stored is told in its place.
func (g *gathering) keep(ctx context.Context, data []byte, mime string) {
	switch {
	case g.in.Keep == nil:
		g.note("A file (%.100s) of %d bytes was left out: none are kept here.", mime, len(data))
		return
	case g.parts >= maxFiles:
		g.note("A file (%.100s) was left out: a result has at most %d.", mime, maxFiles)
		return
	case len(data) > maxFile:
		g.note("A file (%.100s) of %d bytes was left out: the most is %d.", mime, len(data), maxFile)
		return
	}
	part := g.parts
	ref, err := g.in.Keep(ctx, part, bytes.NewReader(data), mime, "")
	if err != nil {
		g.note("A file (%.100s) could not be kept: %v", mime, err)
		return
	}
	g.parts++
	g.media = append(g.media, ref)
	g.out.Files = append(g.out.Files, keptFile{tool.FileOwner(g.in.Call, part).AttachmentID(), ref.MIME, len(data)})
}
