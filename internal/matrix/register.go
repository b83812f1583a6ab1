package matrix

import (
	"context"
	"errors"
	"slices"

	"maunium.net/go/mautrix"
)

// maxStages bounds the steps of one interactive registration.
const maxStages = 5

// register makes an account. It takes the way by shared secret when there is
// one and the homeserver has that way, else the open way, else the one by
// registration token when a token is configured. KindTaken when the name
// exists, KindClosed when there is no way in.
func (n *Network) register(ctx context.Context, api *mautrix.Client, name, password string) (*mautrix.RespRegister, error) {
	op := "register " + name
	closed := func(hint string, err error) error {
		return &Fault{Kind: KindClosed, Op: op, Hint: hint, err: err}
	}
	if !n.cfg.RegistrationSecret.IsZero() {
		made, err := n.registerBySecret(ctx, api, name, password)
		if !errors.Is(err, errNoSecretWay) {
			return made, err
		}
	}
	req := &mautrix.ReqRegister[any]{Username: name, Password: password, InitialDeviceDisplayName: deviceName}
	session := ""
	var done []string
	for range maxStages {
		reply, uia, err := api.Register(ctx, req)
		switch {
		case err == nil && reply != nil:
			return reply, nil
		case errors.Is(err, mautrix.MUserInUse):
			return nil, &Fault{Kind: KindTaken, Op: op, err: mautrix.MUserInUse}
		case err != nil:
			err = judge(ctx, op, err)
			if k := KindOf(err); k == KindForbidden || k == KindNotFound {
				return nil, closed("open registration at the homeserver, or set MATRIX_REGISTRATION_TOKEN", err)
			}
			return nil, err
		}
		if uia.Session != "" {
			session = uia.Session
		}
		if uia.ErrCode != "" && uia.ErrCode != "M_UNAUTHORIZED" || rejected(uia, req.Auth) {
			return nil, closed("the homeserver refused the registration token: check MATRIX_REGISTRATION_TOKEN", errors.New(uia.ErrCode))
		}
		done = append(done, uia.Completed...)
		stage, ok := nextStage(uia.Flows, done, !n.cfg.RegistrationToken.IsZero())
		if !ok {
			return nil, closed("the homeserver wants "+wanted(uia.Flows)+": open registration there, or set MATRIX_REGISTRATION_TOKEN", nil)
		}
		req.Auth = stageAuth(stage, session, n.cfg.RegistrationToken.Reveal())
	}
	return nil, closed("the homeserver asks for one step after another: register the account by hand", nil)
}

const tokenStage mautrix.AuthType = "m.login.registration_token"

type tokenAuth struct {
	mautrix.BaseAuthData
	Token string `json:"token"`
}

func stageAuth(stage mautrix.AuthType, session, token string) any {
	base := mautrix.BaseAuthData{Type: stage, Session: session}
	if stage == tokenStage {
		return tokenAuth{base, token}
	}
	return base
}

// rejected: the stage we just answered is still not completed.
func rejected(uia *mautrix.RespUserInteractive, sent any) bool {
	var stage mautrix.AuthType
	switch a := sent.(type) {
	case tokenAuth:
		stage = a.Type
	case mautrix.BaseAuthData:
		stage = a.Type
	default:
		return false
	}
	return !slices.Contains(uia.Completed, string(stage))
}

// nextStage picks what to answer next: the first open stage of the shortest
// flow that consists only of stages we can do.
func nextStage(flows []mautrix.UIAFlow, done []string, haveToken bool) (mautrix.AuthType, bool) {
	flows = slices.SortedStableFunc(slices.Values(flows), func(a, b mautrix.UIAFlow) int { return len(a.Stages) - len(b.Stages) })
	for _, f := range flows {
		able := !slices.ContainsFunc(f.Stages, func(s mautrix.AuthType) bool {
			return s != mautrix.AuthTypeDummy && (s != tokenStage || !haveToken)
		})
		if !able {
			continue
		}
		for _, s := range f.Stages {
			if !slices.Contains(done, string(s)) {
				return s, true
			}
		}
	}
	return "", false
}

func wanted(flows []mautrix.UIAFlow) string {
	if len(flows) == 0 || len(flows[0].Stages) == 0 {
		return "a step it does not name"
	}
	return string(flows[0].Stages[0])
}
