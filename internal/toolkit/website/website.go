package website

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/website/guard"
	"mindroom/internal/toolkit/website/page"
)

// The settings an agent may give inline, and the default of max_bytes.
const (
	fieldPrivate    = "allow_private_addresses"
	fieldBytes      = "max_bytes"
	fieldTimeout    = "timeout_seconds"
	defaultMaxBytes = 2 << 20
)

// New makes the toolkit. resolver looks up host names; nil is the system's.
func New(resolver guard.Resolver) tool.Toolkit {
	return tool.Toolkit{
		Name:    "website",
		Purpose: "Read the text of web pages.",
		Fields: []config.Field{
			{Name: fieldPrivate, Kind: config.KindBool, Default: false,
				Doc: "Also read pages on this host and in private networks; link-local and cloud metadata addresses stay refused."},
			{Name: fieldBytes, Kind: config.KindInt, Default: int64(defaultMaxBytes), Min: config.Bound(1), Max: config.Bound(64 << 20),
				Doc: "The largest page that is read, in bytes after decompression."},
			{Name: fieldTimeout, Kind: config.KindNumber, Default: 30.0, Min: config.Bound(0.1), Max: config.Bound(600),
				Doc: "Seconds from the look-up of the name to the last byte of the page."},
		},
		Build: func(env tool.Env) ([]tool.Function, error) {
			return []tool.Function{readURL(&page.Reader{
				Dialer: &guard.Dialer{Resolver: resolver, AllowPrivate: env.Settings.Bool(fieldPrivate)},
				Limits: page.Limits{
					MaxBytes: env.Settings.Int(fieldBytes),
					Timeout:  time.Duration(env.Settings.Number(fieldTimeout) * float64(time.Second)),
				},
			})}, nil
		},
	}
}

// arguments are those of read_url.
type arguments struct {
	URL string `json:"url" jsonschema:"Absolute http or https URL of the page."`
}

// document is one read page, in the form of a list of documents that the
// public system's reader gives.
type document struct {
	Name    string   `json:"name"`
	Meta    metadata `json:"meta_data"`
	Content string   `json:"content"`
}

type metadata struct {
	URL string `json:"url"`
}

func readURL(reader *page.Reader) tool.Function {
	return tool.Typed(tool.Spec{
		Name: "read_url",
		Description: "Read one web page and return its readable text as a list with one document (name, meta_data.url, content).\n" +
			"HTML is reduced to its main text; plain text, JSON and XML come as they are. Two reads of an unchanged page are equal. " +
			"Pages that need a login, private addresses and binary files are not read.",
		Class: tool.Shared,
	}, func(ctx context.Context, _ tool.Invocation, args arguments) (any, error) {
		read, err := reader.Read(ctx, args.URL)
		var unreadable *page.Error
		if errors.As(err, &unreadable) {
			return nil, &tool.Fault{Kind: tool.FaultTool, Message: unreadable.Message, Retryable: unreadable.Retryable}
		}
		if err != nil {
			return nil, err
		}
		name := read.Title
		if name == "" {
			name = read.URL
		}
		return []document{{Name: name, Meta: metadata{URL: read.URL}, Content: read.Content}}, nil
	})
}
