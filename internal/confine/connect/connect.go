// Package connect makes the proxy through which a confined call reaches the
// hosts that the policy opens to it. It is apart from package confine because
// it links the network's packages.
package connect

import (
	"context"
	"errors"
	"fmt"

	"mayi/pkg/gate"
	"mayi/pkg/permissions"
	"mayi/pkg/sandbox"
	"mayi/pkg/sandbox/proxy"
)

// Proxy decides about the hosts of the call of v as g does.
func Proxy(g *gate.Gate, v gate.Verdict) sandbox.Proxy {
	named := g.Settings().NetworkAllowHosts
	return proxy.New(proxy.Options{
		Host: func(ctx context.Context, host string, _ int) error {
			err := g.Host(ctx, v, host)
			if errors.Is(err, gate.ErrHostAsk) {
				return fmt.Errorf("%w: %w", proxy.ErrAsk, err)
			}
			return err
		},
		Private: func(host string) bool { return permissions.NamesHost(named, host) },
	})
}
