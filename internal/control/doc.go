// Package control is how an operator's command reaches the running primary: a
// Unix socket in the control state, readable by the runtime's account alone,
// that speaks HTTP. Whoever may open the socket may do what the operator may;
// nothing else authenticates it, and no worker ever sees it.
package control
