package agentcli

import (
	"errors"
	"io"
	"os"

	"mindroom/internal/canonical"
)

// maxDocument is the most bytes of any JSON document that is read, sent or printed (spec/agentcli.md 1.1).
const maxDocument = 65536

// source gives the bytes of a call's arguments, one more than the bound where there are too many.
type source func(stdin io.Reader) ([]byte, error)

func literal(text string) source {
	return func(io.Reader) ([]byte, error) { return []byte(text), nil }
}

func file(path string) source {
	return func(io.Reader) ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		raw, err := io.ReadAll(io.LimitReader(f, maxDocument+1))
		return raw, errors.Join(err, f.Close())
	}
}

func standardInput(string) source {
	return func(stdin io.Reader) ([]byte, error) { return io.ReadAll(io.LimitReader(stdin, maxDocument+1)) }
}

// arguments reads the one source of a call's arguments; none means {}.
func arguments(given []source, stdin io.Reader) (canonical.Doc, *failure) {
	if len(given) == 0 {
		return canonical.EmptyObject, nil
	}
	raw, err := given[0](stdin)
	if err != nil {
		// Neither the path nor what the system says about it is repeated.
		return canonical.Doc{}, invalid("cannot read the input").because("check that the file of --json-file exists and can be read")
	}
	if len(raw) > maxDocument {
		return canonical.Doc{}, invalid("the arguments are over 65536 bytes; JSON input must be strict JSON within 64 KiB").
			because("pass long content by a file in the workspace and name the file in the arguments")
	}
	doc, err := canonical.Parse(raw, canonical.Limits{Bytes: maxDocument, Unique: true})
	var syntax *canonical.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return canonical.Doc{}, invalid("JSON input must be strict JSON within 64 KiB: %v", syntax)
	case !doc.IsObject():
		return canonical.Doc{}, invalid("the arguments must be a JSON object").because(`give names and values: '{"name":"value"}'`)
	}
	return doc, nil
}
