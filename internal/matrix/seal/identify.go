//go:build goolm

package seal

import (
	"context"
	"errors"
	"fmt"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto/ssss"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/secret"
)

func (d *device) Announce(ctx context.Context) error {
	known, err := d.ownKeys(ctx)
	if err != nil {
		return err
	}
	d.known = known // signatures too, which are looked at next
	own, account := d.olm.OwnIdentity(), d.olm.GetAccount()
	at := known.DeviceKeys[own.UserID][own.DeviceID]
	switch {
	case len(at.Keys) == 0:
		// New, or forgotten by the homeserver: a device that was deleted there
		// comes back without keys when it logs in again.
		account.Shared = false
	case at.Keys.GetEd25519(own.DeviceID) != own.SigningKey:
		return fmt.Errorf("device %s of %s: %w", own.DeviceID, own.UserID, ErrForeign)
	case account.Shared:
		return nil
	default:
		// The answer to the upload was lost.
		account.Shared = true
		return d.store.PutAccount(ctx, account)
	}
	if err := d.olm.ShareKeys(ctx, 0); err != nil {
		return fmt.Errorf("upload device keys: %w", err)
	}
	return nil
}

// ownKeys is what the homeserver knows of our own devices and signatures.
func (d *device) ownKeys(ctx context.Context) (*mautrix.RespQueryKeys, error) {
	r, err := d.olm.Client.QueryKeys(ctx, &mautrix.ReqQueryKeys{
		DeviceKeys: mautrix.DeviceKeysRequest{d.olm.Client.UserID: mautrix.DeviceIDList{}},
	})
	if err != nil {
		return nil, fmt.Errorf("ask for our own keys: %w", err)
	}
	return r, nil
}

func (d *device) Identify(ctx context.Context, who Identity) error {
	known := d.known
	if d.known = nil; known == nil {
		var err error
		if known, err = d.ownKeys(ctx); err != nil {
			return err
		}
	}
	user := d.olm.Client.UserID
	published := known.SelfSigningKeys[user]
	switch key := published.FirstKey(); {
	case key == "" && who.Save == nil:
		return errors.New("the account has no identity that could sign: make one with the client you verify with")
	case key == "":
		return d.found(ctx, who)
	case signedBy(known.DeviceKeys[user][d.olm.Client.DeviceID], user, key):
		return nil
	case who.Recovery.IsZero():
		return errors.New("the account was signed by another program, whose recovery key we do not have: verify this device there")
	}
	if err := d.olm.VerifyWithRecoveryKey(ctx, who.Recovery.Reveal()); err != nil {
		return fmt.Errorf("sign the device with the recovery key: %w", err)
	}
	return nil
}

func signedBy(device mautrix.DeviceKeys, user id.UserID, key id.Ed25519) bool {
	return device.Signatures[user][id.NewKeyID(id.KeyAlgorithmEd25519, key.String())] != ""
}

// found makes the account's identity. Its order lets it be begun again after a
// crash anywhere: the recovery key is stored first, and the public keys, which
// say that there is an identity, are published when all that is needed to use
// it again is in place.
func (d *device) found(ctx context.Context, who Identity) error {
	key, err := ssss.NewKey("")
	if err != nil {
		return fmt.Errorf("make a recovery key: %w", err)
	}
	if err := who.Save(ctx, secret.New(key.RecoveryKey())); err != nil {
		return fmt.Errorf("store the recovery key: %w", err)
	}
	keys, err := d.olm.GenerateCrossSigningKeys()
	if err != nil {
		return fmt.Errorf("make signing keys: %w", err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"describe the recovery key", func() error { return d.olm.SSSS.SetKeyData(ctx, key.ID, key.Metadata) }},
		{"store signing keys", func() error { return d.olm.UploadCrossSigningKeysToSSSS(ctx, key, keys) }},
		{"name the recovery key", func() error { return d.olm.SSSS.SetDefaultKeyID(ctx, key.ID) }},
		{"publish signing keys", func() error {
			return d.olm.PublishCrossSigningKeys(ctx, keys, func(ask *mautrix.RespUserInteractive) any {
				return &mautrix.ReqUIAuthLogin{
					BaseAuthData: mautrix.BaseAuthData{Type: mautrix.AuthTypePassword, Session: ask.Session},
					User:         d.olm.Client.UserID.String(), Password: who.Password.Reveal(),
				}
			})
		}},
		{"sign the device", func() error { return d.olm.SignOwnDevice(ctx, d.olm.OwnIdentity()) }},
		{"sign the identity", func() error { return d.olm.SignOwnMasterKey(ctx) }},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}
