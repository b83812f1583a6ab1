package guard

import "fmt"

// Refusal is the error of a connection that was not made because of where it
// would have gone. It reaches callers through net/http, wrapped.
type Refusal struct {
	// Host is what the URL named; Address what it resolved to, empty when the
	// host was refused unresolved.
	Host, Address string
	// Why is a word or two from Judge, or about the host's form.
	Why string
	// Private is true when the setting that allows private addresses would
	// have let it pass.
	Private bool
}

// Error tells a person what was refused and, where there is one, the setting
// that allows it.
func (r *Refusal) Error() string {
	where := r.Host
	if r.Address != "" && r.Address != r.Host {
		where = fmt.Sprintf("%s (%s)", r.Host, r.Address)
	}
	if r.Private {
		return fmt.Sprintf("%s is a %s address, which is not read unless the website tool is configured with allow_private_addresses: true", where, r.Why)
	}
	return fmt.Sprintf("%s is not read: %s address", where, r.Why)
}
