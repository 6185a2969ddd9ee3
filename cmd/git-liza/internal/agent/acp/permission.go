package acp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// Kinds of tools that change no files. Running a command is among
// them, because every role reports by a command.
var reading = []sdk.ToolKind{sdk.ToolKindRead, sdk.ToolKindSearch, sdk.ToolKindExecute, sdk.ToolKindThink, sdk.ToolKindFetch}

// answer handles one request or notification of the agent.
func (s *session) answer(_ context.Context, method string, params json.RawMessage) (any, *sdk.RequestError) {
	switch method {
	case sdk.ClientMethodSessionUpdate:
		defer s.wire.done(&s.wire.updates)
		return respond(params, func(n sdk.SessionNotification) (any, error) {
			s.record.update(n.Update)
			if s.prompt.Update != nil {
				s.prompt.Update(s.record.soFar())
			}
			return nil, nil
		})
	case sdk.ClientMethodSessionRequestPermission:
		return respond(params, func(r sdk.RequestPermissionRequest) (any, error) { return s.permit(r), nil })
	case sdk.ClientMethodFsReadTextFile:
		return respond(params, func(r sdk.ReadTextFileRequest) (any, error) { return s.files.read(r) })
	case sdk.ClientMethodFsWriteTextFile:
		return respond(params, func(r sdk.WriteTextFileRequest) (any, error) { return sdk.WriteTextFileResponse{}, s.write(r) })
	case endOfMessages:
		close(s.wire.end)
		return nil, nil
	}
	return nil, sdk.NewMethodNotFound(method)
}

// respond reads the parameters of a request and answers it.
func respond[T any](params json.RawMessage, do func(T) (any, error)) (any, *sdk.RequestError) {
	var request T
	if err := json.Unmarshal(params, &request); err != nil {
		return nil, sdk.NewInvalidParams(map[string]any{"error": err.Error()})
	}
	result, err := do(request)
	if err == nil {
		return result, nil
	}
	if refused, ok := err.(*sdk.RequestError); ok {
		return nil, refused
	}
	return nil, sdk.NewInternalError(map[string]any{"error": err.Error()})
}

func (s *session) write(r sdk.WriteTextFileRequest) error {
	if !s.prompt.Writes {
		s.record.denied("write", r.Path)
		return &sdk.RequestError{Code: -32602, Message: s.readOnly()}
	}
	err := s.files.write(r)
	if err != nil {
		s.record.denied("write", r.Path)
	}
	return err
}

func (s *session) readOnly() string {
	return s.prompt.Role.One() + " changes no files in this session"
}

// permit answers a request for permission: with the option that allows it once, or with
// one that refuses it.
func (s *session) permit(r sdk.RequestPermissionRequest) sdk.RequestPermissionResponse {
	call := s.record.call(r.ToolCall)
	allow := s.denialReason(call) == ""
	if allow {
		if id, ok := findOption(r.Options, sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways); ok {
			return selected(id)
		}
	}
	s.record.denied(string(call.kind), call.title)
	if id, ok := findOption(r.Options, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways); ok {
		return selected(id)
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{Cancelled: &sdk.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}}}
}

func selected(id sdk.PermissionOptionId) sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{
		Selected: &sdk.RequestPermissionOutcomeSelected{OptionId: id, Outcome: "selected"}}}
}

// findOption returns the first option of the first of the kinds that is offered.
func findOption(options []sdk.PermissionOption, kinds ...sdk.PermissionOptionKind) (sdk.PermissionOptionId, bool) {
	for _, kind := range kinds {
		if i := slices.IndexFunc(options, func(o sdk.PermissionOption) bool { return o.Kind == kind }); i >= 0 {
			return options[i].OptionId, true
		}
	}
	return "", false
}

// denialReason says why the agent may not make a call, "" if it may. It refuses a path
// outside the worktree, a change of files by a role that does not write, a change without
// a path, and a change of the agent's mode.
func (s *session) denialReason(c call) string {
	change := !slices.Contains(reading, c.kind) // of an unknown kind it may
	for _, path := range c.paths {
		if _, ok := s.files.local(path); !ok || strings.HasPrefix(path, "~") {
			return path + " is outside the worktree"
		}
	}
	switch {
	case c.kind == sdk.ToolKindSwitchMode:
		return "the mode is not the agent's to choose"
	case change && !s.prompt.Writes:
		return s.readOnly()
	case c.more:
		return "it names more paths than are looked at"
	case change && len(c.paths) == 0:
		return "it does not say what it changes"
	}
	return ""
}
