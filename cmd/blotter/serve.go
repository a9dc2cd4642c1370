package main

import (
	"errors"
	"fmt"
	"net"
	"strings"

	"blotter/internal/app"
	"blotter/internal/config"
	"blotter/internal/logs"
	"blotter/internal/reason"
)

// serveCommand is `blotter serve`.
type serveCommand struct {
	Data   string `placeholder:"DIR" help:"Data directory; $$BLOTTER_DATA, else the XDG state directory, without it." type:"path"`
	Listen string `placeholder:"HOST:PORT" help:"Where the API listens; serve.listen of the configuration without it."`
	Roles  string `placeholder:"LIST" help:"What this node does, of api, worker, audit and retention, between commas; serve.roles of the configuration, which is all, without it."`
}

// Run implements command. It returns when the service was told to stop and has stopped.
func (s *serveCommand) Run(c *call) (int, error) {
	cfg, err := c.load(s.Data)
	if err != nil {
		return 0, err
	}
	if s.Listen != "" {
		cfg.Serve.Listen = s.Listen
	}
	if s.Roles != "" {
		if cfg.Serve.Roles, err = config.ParseRoles(strings.Split(s.Roles, ",")); err != nil {
			return 0, reason.Because(reason.UsageWrong, fmt.Errorf("--roles: %w", err))
		}
	}
	l, err := listen(cfg)
	if err != nil {
		return 0, err
	}
	service, err := app.OpenService(c.ctx, cfg, logs.New(c.stdio.err, cfg.LogLevel))
	if err != nil {
		return c.notStarted(errors.Join(err, closed(l)))
	}
	if err := greet(c, cfg, service, l); err != nil {
		return c.notStarted(errors.Join(err, closed(l), service.Close()))
	}
	return reason.ExitOK, errors.Join(service.Serve(c.ctx, l), service.Close())
}

// notStarted is the end of a start that came to nothing. Where the process was told to stop,
// what failed, failed for that: it is an ordinary stop, of a service that did nothing yet.
func (c *call) notStarted(err error) (int, error) {
	if c.ctx.Err() == nil {
		return 0, err
	}
	fmt.Fprintln(c.stdio.err, "blotter: Told to stop while it was starting. It had taken nothing in and begun no job.")
	return reason.ExitOK, nil
}

func listen(cfg config.Config) (app.Listeners, error) {
	var l app.Listeners
	var err error
	if cfg.Serve.Has(config.RoleAPI) {
		if l.API, err = listenOn("serve.listen", cfg.Serve.Listen); err != nil {
			return l, err
		}
	}
	if cfg.Serve.OpsListen == "" {
		return l, nil
	}
	if l.Ops, err = listenOn("serve.ops_listen", cfg.Serve.OpsListen); err != nil {
		return l, errors.Join(err, closed(l))
	}
	return l, nil
}

func listenOn(setting, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, reason.Because(reason.ConfigInvalid, fmt.Errorf("%s: nobody can listen on %q: it is in use, or no address of this host", setting, address))
	}
	return l, nil
}

func closed(l app.Listeners) error {
	var errs []error
	for _, open := range []net.Listener{l.API, l.Ops} {
		if open != nil {
			errs = append(errs, open.Close())
		}
	}
	return errors.Join(errs...)
}

// greet says where the service is and, the first time, shows the first API key.
func greet(c *call, cfg config.Config, s *app.Service, l app.Listeners) error {
	if l.API != nil {
		key, made, err := s.FirstKey(c.ctx)
		if err != nil {
			return err
		}
		if made {
			fmt.Fprintf(c.stdio.out, "API key, shown this once: %s\n", key)
		}
	}
	if l.Ops != nil {
		fmt.Fprintf(c.stdio.out, "Metrics, health and profiles: http://%s/\n", l.Ops.Addr())
	}
	if l.API == nil {
		fmt.Fprintln(c.stdio.out, "Running without the API.")
		return nil
	}
	scheme := "http"
	if cfg.API.TLSCert != "" {
		scheme = "https"
	}
	fmt.Fprintf(c.stdio.out, "Listening on %s://%s/ (documentation: /docs)\n", scheme, l.API.Addr())
	return nil
}
