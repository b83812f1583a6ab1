package matrix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/secret"
	"mindroom/internal/store"
)

// Schema is the table of the accounts, and that of the invitations they have not
// dealt with. Tokens, passwords and keys lie in it as
// they are; the database file is readable by its owner only.
var Schema = store.Schema{Name: "matrix", Steps: []string{
	`CREATE TABLE matrix_account (
		account_key TEXT PRIMARY KEY,
		local_part TEXT NOT NULL,
		password TEXT NOT NULL,
		user_id TEXT NOT NULL,
		device_id TEXT NOT NULL,
		access_token TEXT NOT NULL,
		created_at TEXT NOT NULL
	)`,
	`ALTER TABLE matrix_account ADD COLUMN crypto_key TEXT NOT NULL DEFAULT '';
	ALTER TABLE matrix_account ADD COLUMN recovery_key TEXT NOT NULL DEFAULT ''`,
	`CREATE TABLE matrix_invitation (
		account_key TEXT NOT NULL,
		room TEXT NOT NULL,
		inviter TEXT NOT NULL,
		told_at TEXT NOT NULL,
		PRIMARY KEY (account_key, room)
	)`,
}}

// accountRow is what is remembered of an account. UserID, DeviceID and Token
// are empty until the first login.
type accountRow struct {
	Key       string
	LocalPart string
	Password  secret.Value
	UserID    string
	DeviceID  string
	Token     secret.Value
	Created   time.Time
	// CryptoKey encrypts the account's crypto store, Recovery its signing keys
	// at the homeserver. Zero until they were made.
	CryptoKey, Recovery secret.Value
}

// errNoAccount says that nothing is remembered under a key.
var errNoAccount = errors.New("no such account")

// accountRows remembers accounts in the database.
type accountRows struct{ db *store.DB }

// load returns the row of key, or errNoAccount.
func (s accountRows) load(ctx context.Context, key string) (accountRow, error) {
	row := accountRow{Key: key}
	var password, token, created, cryptoKey, recovery string
	err := s.db.Read(ctx, func(r *store.Reader) error {
		return r.QueryRow(`SELECT local_part, password, user_id, device_id, access_token, created_at, crypto_key, recovery_key
			FROM matrix_account WHERE account_key = $1`, key).
			Scan(&row.LocalPart, &password, &row.UserID, &row.DeviceID, &token, &created, &cryptoKey, &recovery)
	})
	if errors.Is(err, store.ErrNoRows) {
		return row, errNoAccount
	}
	if err == nil {
		row.Created, err = clock.ParseStamp(created)
	}
	if err != nil {
		return row, fmt.Errorf("load account %s: %w", key, err)
	}
	row.Password, row.Token = secret.New(password), secret.New(token)
	row.CryptoKey, row.Recovery = secret.New(cryptoKey), secret.New(recovery)
	return row, nil
}

// save writes a row in place of an older one of the same key.
func (s accountRows) save(ctx context.Context, row accountRow) error {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO matrix_account (account_key, local_part, password, user_id, device_id, access_token, created_at, crypto_key, recovery_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
			ON CONFLICT (account_key) DO UPDATE SET local_part = excluded.local_part, password = excluded.password,
				user_id = excluded.user_id, device_id = excluded.device_id, access_token = excluded.access_token,
				crypto_key = excluded.crypto_key, recovery_key = excluded.recovery_key`,
			row.Key, row.LocalPart, row.Password.Reveal(), row.UserID, row.DeviceID, row.Token.Reveal(), clock.Stamp(row.Created),
			row.CryptoKey.Reveal(), row.Recovery.Reveal())
		return err
	})
	if err != nil {
		return fmt.Errorf("save account %s: %w", row.Key, err)
	}
	return nil
}
