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

func (d *decoder) roomAccess(n *node) RoomAccess {
	s := d.section(n, "matrix_room_access")
	a := RoomAccess{
		MultiUser:              s.choice("mode", "single_user_private", "single_user_private", "multi_user") == "multi_user",
		JoinRule:               s.choice("multi_user_join_rule", "public", "public", "knock"),
		PublishToDirectory:     s.boolean("publish_to_room_directory", false),
		InviteOnlyRooms:        s.names("invite_only_rooms", d.managedRoom),
		ReconcileExistingRooms: s.boolean("reconcile_existing_rooms", false),
		EncryptManagedRooms:    s.boolean("encrypt_managed_rooms", false),
		RoomAdmins:             s.names("room_admins", d.userID),
	}
	s.done()
	return a
}
