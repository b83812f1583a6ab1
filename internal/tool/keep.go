package tool

import (
	"context"
	"fmt"
	"io"

	"mindroom/internal/media"
)

// keeper lets a body keep files as its call's own; nil where none are kept.
func (r *Room) keeper(call Call) func(context.Context, int, io.Reader, string, string) (media.Ref, error) {
	if r.Keep == nil {
		return nil
	}
	return func(ctx context.Context, part int, data io.Reader, mime, name string) (media.Ref, error) {
		return r.Keep(ctx, FileOwner(call, part), data, mime, name)
	}
}

// FileOwner is the owner of one of a call's files.
func FileOwner(call Call, part int) media.Owner {
	return media.Owner{
		Kind: media.OwnedByCall, ID: fmt.Sprintf("%s#%d", call.Ref, part),
		Room: call.Who.Room, Thread: call.Who.ResolvedThread, Requester: call.Who.Requester,
	}
}
