package format

// Root is the file itself.
func Root() *Object { return root }

var root = &Object{
	Name: "",
	Doc:  "Agents, the models that drive them, the rooms they live in, and who may talk to them.",
	Keys: append([]Key{
		{Name: "models", Shape: mapping(Filled, fixed(model)), Doc: "Language models by name; agents without one of their own use the one called default."},
		{Name: "agents", Shape: mapping(Entity, fixed(agent)), Doc: "Agents by name, which is a part of their Matrix account."},
		{Name: "teams", Shape: mapping(Entity, fixed(team)), Idle: NotYet, Doc: "Agents that answer together, by name."},
		{Name: "defaults", Shape: fixed(defaults), Doc: "What holds for every agent that does not say otherwise."},
		{Name: "rooms", Shape: mapping(RoomKey, fixed(room)), Doc: "Managed rooms by key, which are made if they do not exist; rooms that agents name need no entry."},
		{Name: "room_models", Shape: mapping(RoomRef, form(ModelRef)), Doc: "The model that answers in a room, whatever the agent says."},
		{Name: "router", Shape: fixed(router), Doc: "The account that owns rooms and picks who answers."},
		{Name: "authorization", Shape: fixed(authorization), Doc: "Who may talk to whom."},
		{Name: "tool_approval", Shape: fixed(approval), Doc: "Which tool calls a person is asked about."},
		{Name: "tool_hooks", Shape: listOf(fixed(toolHook)), Doc: "Programs and web addresses around tool calls, asked in this order."},
		{Name: "mcp_servers", Shape: mapping(Entity, fixed(mcpServer)), Doc: "Servers of the Model Context Protocol by name; each is the toolkit mcp_NAME."},
		{Name: "matrix_room_access", Shape: fixed(roomAccess), Doc: "Who can find and join managed rooms."},
		{Name: "memory", Shape: memoryShape, Doc: "Where agents keep what they should remember; the short form names the backend."},
		{Name: "mindroom_user", Shape: fixed(internalUser), Doc: "A managed account that is no agent."},
		{Name: "bot_accounts", Shape: set(User), Doc: "Matrix ids of other programs, which are answered only when they mention an agent."},
		{Name: "timezone", Shape: form(Zone), Default: "UTC", Doc: "The time zone in which agents are told the time, such as Europe/Amsterdam."},
	}, idle(otherSections...)...),
}
