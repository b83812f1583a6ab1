package matrix

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mindroom/internal/secret"
	"mindroom/test/faultproxy"
	"mindroom/test/homeserver"
)

// The real homeserver makes an account by its secret, tells a taken name and
// refuses another secret; one that has no such way is registered at openly.
func TestRegisterBySecret(t *testing.T) {
	t.Parallel()
	hs := homeserver.Shared(t)
	r, ctx := newRig(t, func(c *Config) { c.RegistrationSecret = secret.New(hs.RegistrationSecret) }), within(t, time.Minute)
	a, err := r.net.Ensure(ctx, "news", "")
	must(t, err)
	for _, x := range r.proxy.Exchanges(nil) {
		if strings.HasSuffix(x.Path, "/v3/register") {
			t.Error("the open way was taken")
		}
	}
	if who, err := a.api().Whoami(ctx); err != nil || who.UserID != a.id() || who.DeviceID.String() != a.DeviceID {
		t.Fatalf("%+v %v", who, err)
	}
	api, err := r.net.client("", "", "")
	must(t, err)
	name, _, err := a.id().Parse()
	must(t, err)
	if _, err := r.net.register(ctx, api, name, "password-"+rand.Text()); KindOf(err) != KindTaken {
		t.Errorf("a taken name: %v", err)
	}

	wrong := newRig(t, func(c *Config) { c.RegistrationSecret = secret.New(rand.Text()) })
	_, err = wrong.net.Ensure(ctx, "news", "")
	if KindOf(err) != KindClosed || !strings.Contains(err.Error(), "MATRIX_REGISTRATION_SHARED_SECRET") {
		t.Errorf("a wrong secret: %v", err)
	}

	other := newRig(t, func(c *Config) { c.RegistrationSecret = secret.New(rand.Text()) })
	none := other.proxy.Arm(faultproxy.Fault{Status: 404, Body: `{"errcode":"M_UNRECOGNIZED","error":"no"}`,
		Match: func(q *http.Request) bool { return strings.HasPrefix(q.URL.Path, "/_synapse/") }})
	_, err = other.net.Ensure(ctx, "news", "")
	must(t, err)
	if none.Hits() != 1 {
		t.Errorf("asked %d times for the way by secret", none.Hits())
	}
}

// The signature as Synapse documents it; the secret itself is never sent. A
// homeserver that is busy is not one without the way.
func TestSecretSignsTheRequest(t *testing.T) {
	t.Parallel()
	var posted string
	busy := true
	fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path != "/_synapse/admin/v1/register":
			t.Errorf("asked for %s", q.URL.Path)
		case q.Method == http.MethodGet && busy:
			w.WriteHeader(http.StatusServiceUnavailable)
		case q.Method == http.MethodGet:
			fmt.Fprint(w, `{"nonce":"thenonce"}`)
		default:
			b := make([]byte, q.ContentLength)
			_, _ = q.Body.Read(b)
			posted = string(b)
			fmt.Fprint(w, `{"user_id":"@mindroom_news:x","device_id":"D","access_token":"t"}`)
		}
	}))
	defer fake.Close()
	n, err := New(Config{Homeserver: fake.URL, RegistrationSecret: secret.New("the-shared-secret")})
	must(t, err)
	defer n.Close()
	api, err := n.client("", "", "")
	must(t, err)
	if _, err := n.register(within(t, time.Minute), api, "mindroom_news", "pw"); KindOf(err) != KindServer {
		t.Errorf("busy: %v", err)
	}
	busy = false
	made, err := n.register(within(t, time.Minute), api, "mindroom_news", "pw")
	must(t, err)
	// printf 'thenonce\0mindroom_news\0pw\0notadmin' | openssl sha1 -hmac the-shared-secret
	const mac = "528f8d2f9ff79535495022a75f574b55a918f2f0"
	if made.DeviceID != "D" || !strings.Contains(posted, `"mac":"`+mac+`"`) || strings.Contains(posted, "the-shared-secret") {
		t.Errorf("made %+v with %s", made, posted)
	}
}
