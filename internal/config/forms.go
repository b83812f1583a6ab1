package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"mindroom/internal/config/format"
)

var (
	entityName    = regexp.MustCompile(format.EntityPattern)
	roomKeyName   = regexp.MustCompile(format.RoomKeyPattern)
	userIDForm    = regexp.MustCompile(format.UserPattern)
	roomRefForm   = regexp.MustCompile(format.RoomRefPattern)
	roomIDForm    = regexp.MustCompile(format.RoomIDPattern)
	localpartForm = regexp.MustCompile(format.LocalpartPattern)
	variableForm  = regexp.MustCompile(format.VariablePattern)
	skillName     = regexp.MustCompile(format.SkillPattern)
)

// IsUserID tells whether text is written as a Matrix user id.
func IsUserID(text string) bool { return userIDForm.MatchString(text) }

// checkForm judges the text at n. Whether what it names exists is asked last, when all names are known.
func (d *decoder) checkForm(n *node, f format.Form) {
	switch f {
	case format.Filled:
		if n.text == "" {
			d.fail(n, "must not be empty")
		}
	case format.Entity:
		d.checkEntity(n)
	case format.EntityRef:
		d.refer(refEntity, n)
	case format.EntityOrAll:
		if n.text != EveryEntity {
			d.refer(refEntity, n)
		}
	case format.AgentRef:
		d.refer(refAgent, n)
	case format.ModelRef:
		d.refer(refModel, n)
	case format.WindowRef:
		d.refer(refWindow, n)
	case format.RoomKey:
		if isRoomRef(n.text) {
			d.fail(n, "must be a room key, not an alias or an id")
		} else {
			d.checkRoom(n)
		}
	case format.Room:
		d.checkRoom(n)
	case format.RoomRef:
		if d.checkRoom(n) && !isRoomRef(n.text) {
			d.refer(refRoom, n)
		}
	case format.ManagedRoom:
		if isRoomRef(n.text) {
			d.fail(n, "must be the key of a managed room, not an alias or an id")
		} else {
			d.refer(refRoom, n)
		}
	case format.User:
		if !IsUserID(n.text) {
			d.fail(n, "%q is not a Matrix user id such as @alice:example.org", clip(n.text))
		}
	case format.Pattern:
		// Refused is what can never match, because a Matrix id begins with @.
		if n.text == "" || !strings.ContainsAny(n.text[:1], "@*?[") {
			d.fail(n, "%q matches no Matrix id; write one such as @alice:example.org, or a pattern such as @*:example.org", clip(n.text))
		}
	case format.Localpart:
		if !localpartForm.MatchString(n.text) {
			d.fail(n, "must be the local part of a Matrix id: small letters, digits and ._=/+- only, without @ and server")
		}
	case format.Toolkit:
		if _, known := d.catalog.Fields(n.text); !known && !format.KnownToolkit(n.text) || n.text == OwnToolkit {
			d.fail(n, "unknown tool %q%s", clip(n.text), meant(n.text, d.toolNames()))
		}
	case format.Zone:
		d.checkZone(n)
	case format.Below:
		d.relativePath(n, n.text)
	case format.Skill:
		if !IsSkillName(n.text) {
			d.fail(n, "%q is no name of a skill: it has up to %d small letters, digits and single dashes between them", clip(n.text), MaxSkillName)
		}
	case format.Variable:
		if !variableForm.MatchString(n.text) {
			d.fail(n, "must be a name in capitals, digits and underscores")
		}
	}
}

// checkEntity judges the name of an agent, a team, a culture or a knowledge base.
func (d *decoder) checkEntity(n *node) {
	switch {
	case slices.Contains(reservedNames, n.text):
		d.fail(n, "the name %s is reserved; choose another", n.text)
	case !entityName.MatchString(n.text):
		d.fail(n, "a name may hold letters, digits and underscores only")
	}
}

// checkRoom judges the writing of a room: a managed key, an alias or an id.
func (d *decoder) checkRoom(n *node) bool {
	switch {
	case isRoomRef(n.text) && (roomRefForm.MatchString(n.text) || roomIDForm.MatchString(n.text)):
		return true
	case isRoomRef(n.text):
		d.fail(n, "%q is not a room alias such as #ops:example.org or a room id such as !abc:example.org", clip(n.text))
	case roomKeyName.MatchString(n.text):
		return true
	default:
		d.fail(n, "a room key may hold letters, digits, underscores, dots and dashes only")
	}
	return false
}

func (d *decoder) checkZone(n *node) {
	if n.text == "" || strings.EqualFold(n.text, "local") {
		d.fail(n, "must be a time zone such as Europe/Amsterdam or UTC")
	} else if _, err := time.LoadLocation(n.text); err != nil {
		d.fail(n, "unknown time zone %q; write one such as Europe/Amsterdam or UTC", clip(n.text))
	}
}
