package config

// RouterName is the entity that every installation has: it owns rooms and picks who answers.
const RouterName = "router"

// reservedNames belong to the router and to people.
var reservedNames = []string{RouterName, "user"}

// isRoomRef tells #alias:server and !id:server from a managed room key.
func isRoomRef(s string) bool { return s != "" && (s[0] == '#' || s[0] == '!') }
