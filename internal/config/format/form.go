package format

// Form is what a text must look like or name. A form that names something that must exist elsewhere in the file is looked up by
// the loader; a schema sees its looks only.
type Form string

// The forms.
const (
	Plain       Form = ""             // any text
	Filled      Form = "filled"       // not empty
	Entity      Form = "entity"       // a name for an agent, a team, a culture or a knowledge base
	EntityRef   Form = "entity ref"   // an agent, a team or the router of this file
	EntityOrAll Form = "entity or *"  // an EntityRef, or * for all without a policy of their own
	AgentRef    Form = "agent ref"    // an agent of this file
	ModelRef    Form = "model ref"    // a model of this file
	WindowRef   Form = "window ref"   // a model of this file that says its context_window
	RoomKey     Form = "room key"     // a name for a managed room
	Room        Form = "room"         // a room's key, alias or id; a new key makes a managed room
	RoomRef     Form = "room ref"     // an alias, an id, or the key of a managed room of this file
	ManagedRoom Form = "managed room" // the key of a managed room of this file
	User        Form = "user"         // a Matrix id
	Pattern     Form = "pattern"      // a shell pattern over Matrix ids
	Localpart   Form = "localpart"    // the part of a Matrix id between @ and the colon
	Toolkit     Form = "toolkit"      // a toolkit of this build
	Zone        Form = "zone"         // a time zone by its IANA name
	Below       Form = "below"        // a relative path that stays below its folder
	Variable    Form = "variable"     // a name in capitals
	Skill       Form = "skill"        // the name of a skill
)

// Patterns are regular expressions for the looks of a form, in the syntax that Go and JSON Schema share; nil: any text.
// Each of them must match.
var patterns = map[Form]string{
	Filled:      `^[\s\S]`,
	Entity:      EntityPattern,
	EntityRef:   EntityPattern,
	EntityOrAll: `^(\*|[a-zA-Z0-9_]+)$`,
	AgentRef:    EntityPattern,
	ModelRef:    `^[\s\S]`,
	WindowRef:   `^[\s\S]`,
	RoomKey:     RoomKeyPattern,
	Room:        anyRoom,
	RoomRef:     anyRoom,
	ManagedRoom: RoomKeyPattern,
	User:        UserPattern,
	Pattern:     `^[@*?\[]`,
	Localpart:   LocalpartPattern,
	Zone:        `^[A-Za-z]`,
	Below:       `^[^/\\]`,
	Variable:    VariablePattern,
	Skill:       SkillPattern,
}

// The looks of names, as regular expressions.
const (
	EntityPattern    = `^[a-zA-Z0-9_]+$`
	RoomKeyPattern   = `^[a-zA-Z0-9_.-]+$`
	RoomRefPattern   = `^[#!][^\s:]+:\S+$`
	RoomIDPattern    = `^![A-Za-z0-9_-]{43}$` // since room version 12 an id has no server part
	UserPattern      = `^@[^:\s*?\[\]]+:[^\s*?]+$`
	LocalpartPattern = `^[a-z0-9._=/+-]{1,200}$`
	VariablePattern  = `^[A-Z][A-Z0-9_]*$`
	SkillPattern     = `^[a-z0-9]([a-z0-9]|-[a-z0-9]){0,63}$` // as the open SKILL.md format has it
	anyRoom          = `^([a-zA-Z0-9_.-]+|[#!][^\s:]+:\S+|![A-Za-z0-9_-]{43})$`
)
