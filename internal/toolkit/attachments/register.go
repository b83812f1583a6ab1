package attachments

import (
	"context"
	"path/filepath"

	"mindroom/internal/media"
	"mindroom/internal/tool"
)

type registerArgs struct {
	Path string `json:"path" jsonschema:"Path of the file, relative to the workspace."`
}

type registerResult struct {
	head
	AttachmentID string `json:"attachment_id"`
	Name         string `json:"name"`
	MIME         string `json:"mime_type"`
	Bytes        int64  `json:"bytes"`
}

func (t *toolkit) register(ctx context.Context, in tool.Invocation, args registerArgs) (any, error) {
	if _, _, fault := here(in); fault != nil {
		return nil, fault
	}
	if in.Keep == nil {
		return nil, tool.Faultf(tool.FaultTool, "no files are kept here")
	}
	f, fault := in.OpenFile(args.Path)
	if fault != nil {
		return nil, fault
	}
	defer func() { _ = f.Close() }()
	ref, err := in.Keep(ctx, 0, f, "", filepath.Base(args.Path))
	if media.KindOf(err) == media.TooLarge {
		return nil, tool.Faultf(tool.FaultTool, "%s is larger than the files that are kept", args.Path)
	}
	if err != nil {
		return nil, laterf("%s cannot be kept right now: %v", args.Path, err)
	}
	return registerResult{ok("register_attachment"), tool.FileOwner(in.Call, 0).AttachmentID(), ref.Name, ref.MIME, ref.Size}, nil
}
