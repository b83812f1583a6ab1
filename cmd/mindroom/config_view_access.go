package main

import "mindroom/internal/config"

type roomAccessView struct {
	MultiUser          bool     `json:"multi_user"`
	JoinRule           string   `json:"multi_user_join_rule"`
	PublishToDirectory bool     `json:"publish_to_room_directory"`
	InviteOnlyRooms    []string `json:"invite_only_rooms"`
	Reconcile          bool     `json:"reconcile_existing_rooms"`
	Encrypt            bool     `json:"encrypt_managed_rooms"`
	RoomAdmins         []string `json:"room_admins"`
}

func roomAccessOf(a config.RoomAccess) roomAccessView {
	return roomAccessView{a.MultiUser, a.JoinRule, a.PublishToDirectory, list(a.InviteOnlyRooms), a.ReconcileExistingRooms, a.EncryptManagedRooms, list(a.RoomAdmins)}
}

type authorizationView struct {
	GlobalUsers       []string              `json:"global_users"`
	RoomPermissions   map[string][]string   `json:"room_permissions"`
	DefaultRoomAccess bool                  `json:"default_room_access"`
	ConfigCommand     bool                  `json:"config_command_enabled"`
	Speaks            map[string]string     `json:"speaks_for"` // bridge account → person
	ReplyPermissions  map[string]policyView `json:"agent_reply_permissions"`
}

type policyView struct {
	Users       []string `json:"users"`
	JoinedRooms []string `json:"joined_rooms"`
}

func authorizationOf(a config.Authorization) authorizationView {
	v := authorizationView{list(a.GlobalUsers), a.RoomPermissions, a.DefaultRoomAccess, a.ConfigCommand, a.Aliases, map[string]policyView{}}
	for name, p := range a.ReplyPermissions {
		v.ReplyPermissions[name] = policyView{list(p.Users), list(p.JoinedRooms)}
	}
	return v
}

type approvalView struct {
	Default     string     `json:"default"`
	TimeoutDays float64    `json:"timeout_days"`
	Rules       []ruleView `json:"rules"`
}

type ruleView struct {
	Match       string  `json:"match"`
	Action      string  `json:"action"`
	Script      string  `json:"script"`
	Reason      string  `json:"reason"`
	TimeoutDays float64 `json:"timeout_days"`
}

func approvalOf(a config.Approval) approvalView {
	const day = 24
	v := approvalView{string(a.Default), a.Timeout.Hours() / day, []ruleView{}}
	for _, r := range a.Rules {
		timeout := r.Timeout
		if timeout == 0 {
			timeout = a.Timeout
		}
		v.Rules = append(v.Rules, ruleView{r.Match, string(r.Action), r.Script, r.Reason, timeout.Hours() / day})
	}
	return v
}
