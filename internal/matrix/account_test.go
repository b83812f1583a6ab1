package matrix

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"mindroom/internal/secret"
	"mindroom/test/faultproxy"
)

func path(suffix string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.URL.Path == "/_matrix/client/v3/"+suffix }
}

// An account is registered once and used again after a restart with the same
// device; with a lost token it logs in again on that device.
func TestEnsureReusesTheAccount(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	a, err := r.net.Ensure(ctx, "news", "News desk")
	must(t, err)
	if a.UserID != "@mindroom_news_"+r.ns+":localhost" {
		t.Fatalf("user id %s", a.UserID)
	}
	if again, err := r.net.Ensure(ctx, "news", "News desk"); err != nil || again != a {
		t.Fatalf("a second Ensure gave %v %v", again, err)
	}
	name, err := a.api().GetOwnDisplayName(ctx)
	must(t, err)
	if name.DisplayName != "News desk" {
		t.Fatalf("display name %q", name.DisplayName)
	}

	r.stop()
	r.start()
	b, err := r.net.Ensure(ctx, "news", "News desk")
	must(t, err)
	logins := func() int {
		return len(r.proxy.Exchanges(func(x faultproxy.Exchange) bool { return x.Path == "/_matrix/client/v3/login" }))
	}
	if b.DeviceID != a.DeviceID || logins() != 0 {
		t.Fatalf("device %s, then %s, %d logins", a.DeviceID, b.DeviceID, logins())
	}

	_, err = b.api().Logout(ctx)
	must(t, err)
	r.stop()
	r.start()
	c, err := r.net.Ensure(ctx, "news", "News desk")
	must(t, err)
	if c.DeviceID != a.DeviceID || logins() != 1 {
		t.Fatalf("after a lost token: device %s, %d logins", c.DeviceID, logins())
	}
}

// The answer to the registration is lost: the account exists, and the stored
// password opens it.
func TestEnsureSurvivesLostRegistration(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	// The first exchange asks for the flows, the second registers.
	r.proxy.Arm(faultproxy.Fault{Match: path("register"), Times: 1})
	lost := r.proxy.Arm(faultproxy.Fault{Match: path("register"), Times: 1, DropReply: true})
	_, err := r.net.Ensure(ctx, "news", "")
	must(t, err)
	if lost.Hits() != 1 {
		t.Fatal("the fault was not met")
	}
}

func TestEnsurePermanentErrors(t *testing.T) {
	t.Parallel()
	ctx := within(t, time.Minute)
	taken := newRig(t, nil)
	c, err := taken.hs.Register(ctx, "mindroom_news_"+taken.ns, "somebody else's")
	must(t, err)
	c.Close()
	if _, err := taken.net.Ensure(ctx, "news", ""); KindOf(err) != KindTaken {
		t.Errorf("taken: %v", err)
	}

	for name, c := range map[string]struct {
		status int
		body   string
		want   Kind
	}{
		"closed":      {403, `{"errcode":"M_FORBIDDEN","error":"Registration is disabled"}`, KindClosed},
		"captcha":     {401, `{"flows":[{"stages":["m.login.recaptcha"]}],"session":"s"}`, KindClosed},
		"wants token": {401, `{"flows":[{"stages":["m.login.registration_token"]}],"session":"s"}`, KindClosed},
		"no such api": {404, `{"errcode":"M_UNRECOGNIZED"}`, KindClosed},
	} {
		r := newRig(t, nil)
		r.proxy.Arm(faultproxy.Fault{Match: path("register"), Status: c.status, Body: c.body})
		if _, err := r.net.Ensure(ctx, "news", ""); KindOf(err) != c.want {
			t.Errorf("%s: %v", name, err)
		} else if f := err.(*Fault); f.Hint == "" {
			t.Errorf("%s: %v tells nobody what to do", name, err)
		}
	}
	refused := newRig(t, func(c *Config) { c.RegistrationToken = secret.New("wrong-registration-token") })
	refused.proxy.Arm(faultproxy.Fault{Match: path("register"), Status: 401,
		Body: `{"flows":[{"stages":["m.login.registration_token"]}],"session":"s"}`})
	if _, err := refused.net.Ensure(ctx, "news", ""); KindOf(err) != KindClosed {
		t.Errorf("refused token: %v", err)
	}
}

// Registration in two stages, the first by token: each is answered with what
// it asks for and the session it belongs to.
func TestRegisterByToken(t *testing.T) {
	t.Parallel()
	const flows = `"flows":[{"stages":["m.login.registration_token","m.login.dummy"]}],"session":"s1"`
	var auths []map[string]any
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var body struct {
			Auth map[string]any `json:"auth"`
		}
		if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		auths = append(auths, body.Auth)
		switch len(auths) {
		case 1:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "{%s}", flows)
		case 2:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{%s,"completed":["m.login.registration_token"]}`, flows)
		default:
			fmt.Fprint(w, `{"user_id":"@mindroom_news:x","device_id":"D","access_token":"t"}`)
		}
	}))
	defer fake.Close()
	n, err := New(Config{Homeserver: fake.URL, RegistrationToken: secret.New("the-registration-token")})
	must(t, err)
	defer n.Close()
	api, err := n.client("", "", "")
	must(t, err)
	made, err := n.register(within(t, time.Minute), api, "mindroom_news", "pw")
	must(t, err)
	want := []map[string]any{nil,
		{"type": "m.login.registration_token", "session": "s1", "token": "the-registration-token"},
		{"type": "m.login.dummy", "session": "s1"}}
	if made.DeviceID != "D" || !reflect.DeepEqual(auths, want) {
		t.Fatalf("%+v after %v", made, auths)
	}
}

// A homeserver that comes up late, and one that asks to slow down, are waited
// for.
func TestEnsureWaits(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	r.proxy.Arm(faultproxy.Fault{Match: func(q *http.Request) bool { return q.URL.Path == "/_matrix/client/versions" }, Times: 1, DropRequest: true})
	slow := r.proxy.Arm(faultproxy.Fault{Match: path("register"), Times: 1, Status: 429, Body: `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":300}`})
	start := time.Now()
	_, err := r.net.Ensure(ctx, "news", "")
	must(t, err)
	if slow.Hits() != 1 || time.Since(start) < 300*time.Millisecond {
		t.Fatalf("met %d, took %s", slow.Hits(), time.Since(start))
	}
}
