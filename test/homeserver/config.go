package homeserver

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// configuration is the whole of the server's config; what it does not say is
// Dendrite's default. One SQLite file a component (one for all makes their
// writers wait for each other), no limits on clients, no federation, no
// search index.
const configuration = `version: 2
global:
  server_name: %[1]s
  private_key: "%[2]s/signing.pem"
  disable_federation: true
  cache:
    max_size_estimated: 64mb
  jetstream:
    storage_path: "%[2]s/jetstream"
  presence:
    enable_inbound: false
    enable_outbound: false
client_api:
  registration_disabled: false
  registration_shared_secret: "%[3]s"
  rate_limiting:
    enabled: false
federation_api: {database: {connection_string: "file:%[2]s/federation.db"}}
key_server: {database: {connection_string: "file:%[2]s/keys.db"}}
relay_api: {database: {connection_string: "file:%[2]s/relay.db"}}
mscs: {database: {connection_string: "file:%[2]s/mscs.db"}}
room_server: {database: {connection_string: "file:%[2]s/rooms.db"}}
media_api:
  database: {connection_string: "file:%[2]s/media.db"}
  base_path: "%[2]s/media"
  max_file_size_bytes: 52428800
sync_api:
  database: {connection_string: "file:%[2]s/sync.db"}
  search:
    enabled: false
user_api:
  account_database: {connection_string: "file:%[2]s/accounts.db"}
  bcrypt_cost: 4
logging:
  - type: std
    level: warning
`

// writeConfig lays out dir for a server and returns the path of its config. A
// signing key that is there already is kept, so that a folder can be used
// again.
func writeConfig(dir, serverName, registrationSecret string) (string, error) {
	key := filepath.Join(dir, "signing.pem")
	if _, err := os.Stat(key); errors.Is(err, os.ErrNotExist) {
		if err := writeKey(key); err != nil {
			return "", err
		}
	}
	path := filepath.Join(dir, "dendrite.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, configuration, serverName, dir, registrationSecret), 0o600); err != nil {
		return "", fmt.Errorf("homeserver config: %w", err)
	}
	return path, nil
}

// writeKey makes an ed25519 seed in the form Dendrite reads.
func writeKey(path string) error {
	seed, name := make([]byte, 32), make([]byte, 3)
	// crypto/rand never fails: it would end the process.
	_, _ = rand.Read(seed)
	_, _ = rand.Read(name)
	block := pem.EncodeToMemory(&pem.Block{
		Type:    "MATRIX PRIVATE KEY",
		Headers: map[string]string{"Key-ID": "ed25519:" + hex.EncodeToString(name)},
		Bytes:   seed,
	})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		return fmt.Errorf("homeserver signing key: %w", err)
	}
	return nil
}
