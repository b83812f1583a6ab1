// Package exits is what test scripts say about exit statuses.
package exits
