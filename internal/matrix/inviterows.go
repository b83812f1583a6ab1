package matrix

import (
	"context"
	"fmt"
	"time"

	"maunium.net/go/mautrix/id"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

// invitation is one that an account was told of and has not dealt with.
type invitation struct {
	Account string // account key
	Room    id.RoomID
	Inviter id.UserID // empty when it was not said
	Told    time.Time
}

// invitations are those of an account, oldest first.
func (s accountRows) invitations(ctx context.Context, account string) (list []invitation, err error) {
	err = s.db.Read(ctx, func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			row, told := invitation{Account: account}, ""
			err := rows.Scan(&row.Room, &row.Inviter, &told)
			if err == nil {
				row.Told, err = clock.ParseStamp(told)
			}
			list = append(list, row)
			return err
		}, `SELECT room, inviter, told_at FROM matrix_invitation WHERE account_key = $1 ORDER BY told_at, room`, account)
	})
	if err != nil {
		return nil, fmt.Errorf("read the invitations of %s: %w", account, err)
	}
	return list, nil
}

// settleInvitation forgets one that was dealt with, if no newer one took its place.
func (s accountRows) settleInvitation(ctx context.Context, row invitation) error {
	err := s.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`DELETE FROM matrix_invitation WHERE account_key = $1 AND room = $2 AND told_at = $3`,
			row.Account, row.Room.String(), clock.Stamp(row.Told))
		return err
	})
	if err != nil {
		return fmt.Errorf("settle the invitation of %s to %s: %w", row.Account, row.Room, err)
	}
	return nil
}

// noteInvitations writes what a response says of them, in the transaction of its
// token.
func noteInvitations(tx *store.Tx, account string, told []invitation, closed []id.RoomID) error {
	for _, room := range closed {
		if _, err := tx.Exec(`DELETE FROM matrix_invitation WHERE account_key = $1 AND room = $2`, account, room.String()); err != nil {
			return err
		}
	}
	for _, row := range told {
		_, err := tx.Exec(`INSERT INTO matrix_invitation (account_key, room, inviter, told_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (account_key, room) DO UPDATE SET inviter = excluded.inviter, told_at = excluded.told_at`,
			account, row.Room.String(), row.Inviter.String(), clock.Stamp(row.Told))
		if err != nil {
			return err
		}
	}
	return nil
}
