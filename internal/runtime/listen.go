package runtime

import (
	"context"
	"net/http"
	"time"

	"mindroom/internal/control"
	"mindroom/internal/httpapi"
	"mindroom/internal/lifecycle"
	"mindroom/internal/script"
)

// listen opens the API, unless the operator wants none.
func (p *primary) listen(ctx context.Context) error {
	if p.o.NoAPI {
		p.log.Info("there is no API: health is not served, scripts and minimal mode are refused")
		return nil
	}
	host, port := p.o.APIHost, p.o.APIPort
	if host == "" {
		host = "0.0.0.0"
	}
	switch {
	case port == 0:
		port = p.set.Port
	case port < 0:
		port = 0
	}
	var err error
	if p.api, err = httpapi.Listen(ctx, host, port, p.status, func(mux *http.ServeMux) {
		p.scripts.Routes(mux)
		p.cli.Routes(mux)
	}, p.log); err != nil {
		return err
	}
	p.group.OnStop(lifecycle.Step{Name: "listener", Budget: 2 * time.Second, Stop: p.api.Shutdown})
	p.group.Go("http", p.api.Serve)
	return nil
}

// origin is the API's address as this machine reaches it; empty without an API.
func (p *primary) origin() string {
	if p.api == nil {
		return ""
	}
	return p.api.Origin()
}

// gatewayURL is where local scripts reach the gateway; empty without an API.
func (p *primary) gatewayURL() string {
	if p.api == nil {
		return ""
	}
	return p.origin() + script.GatewayPath
}

// control opens the operators' socket.
func (p *primary) control() (err error) {
	if p.socket, err = control.Listen(p.set.ControlPath, p.scripts, p.reloads.Standing); err != nil {
		return err
	}
	p.group.OnStop(lifecycle.Step{Name: "control socket", Budget: time.Second, Stop: p.socket.Shutdown})
	p.group.Go("control", p.socket.Serve)
	return nil
}
