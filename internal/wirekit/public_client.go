package wirekit

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

//go:embed testdata/public_client.py
var publicClient []byte

// LayPublicClient writes the frozen client below dir as the package mindroom, so that a script that imports
// mindroom.script_sdk with dir on its path runs on the public SDK's wire behaviour.
func LayPublicClient(dir string) error {
	folder := filepath.Join(dir, "mindroom")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("lay out the public client: %w", err)
	}
	for name, content := range map[string][]byte{"__init__.py": nil, "script_sdk.py": publicClient} {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			return fmt.Errorf("lay out the public client: %w", err)
		}
	}
	return nil
}
