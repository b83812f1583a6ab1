package format

var authorization = &Object{
	Name: "authorization",
	Doc:  "Who may talk to whom. Without it nobody may.",
	Keys: []Key{
		{Name: "global_users", Shape: set(User), Doc: "Matrix ids that may talk in every room."},
		{Name: "room_permissions", Shape: mapping(RoomRef, set(User)), Doc: "For a room, who may talk there; an entry ends the search."},
		{Name: "default_room_access", Shape: boolean, Default: false, Doc: "Everybody may talk in rooms without an entry."},
		{Name: "config_command_enabled", Shape: boolean, Default: false, Doc: "Room admins may change this file with !config."},
		{Name: "aliases", Shape: mapping(User, set(User)), Doc: "A person's Matrix id, and the bridge accounts that speak for that person."},
		{Name: "agent_reply_permissions", Shape: mapping(EntityOrAll, replyShape), Doc: "For an agent, or \"*\", whom it answers; the short form is the list of users."},
	},
}

var replyShape = Shape{Kind: Fixed, Short: &replyUsers, Object: &Object{
	Name: "authorization.agent_reply_permissions.*",
	Doc:  "Whom an agent answers: anyone a pattern matches, and anyone now in one of the rooms.",
	Keys: []Key{
		{Name: "users", Shape: replyUsers, Doc: "Matrix ids, or patterns such as @*:example.org; * is anyone."},
		{Name: "joined_rooms", Shape: set(ManagedRoom), Doc: "Managed rooms whose members are answered."},
	},
}}

var replyUsers = set(Pattern)
