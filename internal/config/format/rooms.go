package format

var room = &Object{
	Name: "rooms.*",
	Doc:  "One managed room.",
	Keys: []Key{
		{Name: "display_name", Shape: anyText, Default: "", Doc: "Its name; empty: made from the key."},
		{Name: "description", Shape: anyText, Default: "", Doc: "Its topic."},
		{Name: "encrypted", Shape: boolean, Doc: "true: it is made encrypted, and encryption is turned on if it is there without, which cannot be undone; false: it is left as it is; absent: as matrix_room_access."},
	},
}

var router = &Object{
	Name: "router",
	Doc:  "The account that owns rooms and picks who answers.",
	Keys: []Key{
		{Name: "model", Shape: form(ModelRef), Default: "default", Doc: "A key of models."},
		{Name: "accept_invites", Shape: boolean, Default: true, Doc: "Joins a room when somebody invites it who may talk there."},
	},
}

var internalUser = &Object{
	Name: "mindroom_user",
	Doc:  "A managed account that is no agent.",
	Keys: []Key{
		{Name: "username", Shape: form(Localpart), Default: "mindroom_user", Doc: "The local part of its Matrix id."},
		{Name: "display_name", Shape: anyText, Default: "MindRoomUser", Doc: "What people see."},
	},
}

var roomAccess = &Object{
	Name: "matrix_room_access",
	Doc:  "Who can find and join managed rooms.",
	Keys: []Key{
		{Name: "mode", Shape: words("single_user_private", "multi_user"), Default: "single_user_private", Doc: "Rooms are by invitation, or the next key says who may join."},
		{Name: "multi_user_join_rule", Shape: words("public", "knock"), Default: "public", Doc: "Of a multi_user room: anybody may join, or may ask to."},
		{Name: "publish_to_room_directory", Shape: boolean, Default: false, Doc: "Rooms are listed in the server's directory."},
		{Name: "invite_only_rooms", Shape: set(ManagedRoom), Doc: "Rooms that stay by invitation under multi_user."},
		{Name: "reconcile_existing_rooms", Shape: boolean, Default: false, Doc: "Rooms that exist are changed too."},
		{Name: "encrypt_managed_rooms", Shape: boolean, Default: false, Doc: "New rooms are encrypted, which cannot be undone; with reconcile_existing_rooms those that are there too."},
		{Name: "room_admins", Shape: set(User), Doc: "Matrix ids that get power 100."},
	},
}
