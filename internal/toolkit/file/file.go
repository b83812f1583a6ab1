package file

import (
	"context"

	"mindroom/internal/tool"
)

// New makes the toolkit. It has no settings: it works in the workspace that
// comes with each call.
func New() tool.Toolkit {
	return tool.Toolkit{
		Name:    "file",
		Purpose: "Read, write, list and search text files in the workspace, and see pictures.",
		Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{
				reading("read_file", "Read a whole text file of the workspace, or see a picture (PNG, JPEG, GIF, WebP).", readFile),
				reading("read_file_chunk", "Read some lines of a text file, start_line to end_line, both counted from 1 and included.", readChunk),
				reading("list_files", "List one directory of the workspace, names of directories with a slash at the end.", listFiles),
				reading("search_files", "Find files by name.\nThe pattern takes *, ?, [...] and, for any number of directories, **; "+
					"without a slash it is matched against the last part of each path.", searchFiles),
				writing("save_file", "Write a text file, making its directories; overwrite=false refuses to replace one that exists.", saveFile),
				writing("replace_file_chunk", "Replace the lines start_line to end_line of a text file, both counted from 1 and included, with chunk.\n"+
					"end_line = start_line - 1 inserts before start_line; an empty chunk deletes.", replaceChunk),
			}, nil
		},
	}
}

type operation[In any] func(ctx context.Context, w *workspace, args In) (any, error)

func reading[In any](name, description string, op operation[In]) tool.Function {
	return function(tool.Spec{Name: name, Description: description, Class: tool.Shared}, op)
}

func writing[In any](name, description string, op operation[In]) tool.Function {
	return function(tool.Spec{Name: name, Description: description, Class: tool.Exclusive}, op)
}

func function[In any](spec tool.Spec, op operation[In]) tool.Function {
	return tool.Typed(spec, func(ctx context.Context, in tool.Invocation, args In) (any, error) {
		w, err := open(in.Workspace)
		if err != nil {
			return nil, err
		}
		defer w.close()
		w.in = in
		return op(ctx, w, args)
	})
}

// head is what every result of the toolkit begins with.
type head struct {
	Status   string `json:"status"`
	Tool     string `json:"tool"`
	Action   string `json:"action"`
	FileName string `json:"file_name,omitempty"`
}

func ok(action, name string) head {
	return head{Status: "ok", Tool: "file", Action: action, FileName: name}
}
