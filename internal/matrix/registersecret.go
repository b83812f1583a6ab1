package matrix

import (
	"context"
	"errors"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/synapseadmin"
)

// errNoSecretWay says that the homeserver makes no accounts by shared secret.
var errNoSecretWay = errors.New("this homeserver makes no accounts by shared secret")

// registerBySecret makes an account by the homeserver's shared secret, which is
// never sent: the request is signed with it. errNoSecretWay when the homeserver
// has no such way.
func (n *Network) registerBySecret(ctx context.Context, api *mautrix.Client, name, password string) (*mautrix.RespRegister, error) {
	op := "register " + name
	admin := &synapseadmin.Client{Client: api}
	nonce, err := admin.GetRegisterNonce(ctx)
	if err != nil {
		err = judge(ctx, op, err)
		if KindOf(err).Retryable() || ctx.Err() != nil {
			return nil, err
		}
		return nil, errNoSecretWay
	}
	made, err := admin.SharedSecretRegister(ctx, n.cfg.RegistrationSecret.Reveal(), synapseadmin.ReqSharedSecretRegister{
		Username: name, Password: password, Nonce: nonce,
	})
	switch {
	case err == nil:
		return made, nil
	case errors.Is(err, mautrix.MUserInUse):
		return nil, &Fault{Kind: KindTaken, Op: op, err: mautrix.MUserInUse}
	}
	err = judge(ctx, op, err)
	if KindOf(err) == KindForbidden {
		return nil, &Fault{Kind: KindClosed, Op: op, err: err,
			Hint: "the homeserver refused the shared secret: compare MATRIX_REGISTRATION_SHARED_SECRET with its registration_shared_secret"}
	}
	return nil, err
}
