package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

const (
	// maxSchema bounds one tool's schema in bytes, maxDepth how deep it is nested.
	maxSchema = 64 << 10
	maxDepth  = 32
)

// checkSchema holds a tool's schema to what can be sent to a model: an object, not
// too large, that refers to nothing outside itself. Nothing is ever fetched.
func checkSchema(schema any) (json.RawMessage, error) {
	if schema == nil {
		return nil, errors.New("it has no schema of its arguments")
	}
	object, ok := schema.(map[string]any)
	if !ok {
		return nil, errors.New("its schema is no object")
	}
	if object["type"] != "object" {
		return nil, errors.New("the schema of its arguments does not say type: object")
	}
	if err := within(object, 0); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("its schema cannot be written: %w", err)
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(raw), maxSchema)
	}
	return raw, nil
}

func within(v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("its schema is nested deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			target, isText := member.(string)
			if isText && (key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef") && !strings.HasPrefix(target, "#") {
				return fmt.Errorf("its schema refers to %.100q, which is not in it and is not fetched", target)
			}
			if err := within(member, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, item := range v {
			if err := within(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
