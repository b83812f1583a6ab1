package config

// RoomAccess says who can find and join managed rooms.
type RoomAccess struct {
	MultiUser              bool     // mode multi_user; false: managed rooms are invite-only
	JoinRule               string   // of a multi_user room: public or knock
	PublishToDirectory     bool     // publish_to_room_directory
	InviteOnlyRooms        []string // managed keys that stay invite-only under multi_user
	ReconcileExistingRooms bool     // false: rooms that exist are left as they are
	EncryptManagedRooms    bool     // cannot be undone for a room
	RoomAdmins             []string // Matrix ids that get power 100
}

func (s *section) roomAccess() RoomAccess {
	return RoomAccess{
		MultiUser:              s.text("mode") == "multi_user",
		JoinRule:               s.text("multi_user_join_rule"),
		PublishToDirectory:     s.boolean("publish_to_room_directory"),
		InviteOnlyRooms:        s.texts("invite_only_rooms"),
		ReconcileExistingRooms: s.boolean("reconcile_existing_rooms"),
		EncryptManagedRooms:    s.boolean("encrypt_managed_rooms"),
		RoomAdmins:             s.texts("room_admins"),
	}
}
