package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/coder/acp-go-sdk"
)

// The modes in which agents ask before they act, the preferred one first. The agent
// gets such a mode whatever the user has set for himself. The known ids are those of
// gemini and claude (default), codex (read-only, auto) and opencode (build).
var (
	writingModes = []string{"default", "auto", "build"}
	readingModes = []string{"read-only", "default"}
)

// chooseSettings sets the model that was asked for, and a mode in which the agent asks before
// it acts.
func (s *session) chooseSettings(ctx context.Context, offer sdk.NewSessionResponse) error {
	if err := s.chooseModel(ctx, offer); err != nil {
		return err
	}
	wanted := readingModes
	if s.prompt.Writes {
		wanted = writingModes
	}
	if m := offer.Modes; m != nil {
		for _, id := range wanted {
			if slices.ContainsFunc(m.AvailableModes, func(o sdk.SessionMode) bool { return string(o.Id) == id }) {
				return s.sendSetting(ctx, sdk.AgentMethodSessionSetMode, sdk.SetSessionModeRequest{SessionId: offer.SessionId, ModeId: sdk.SessionModeId(id)},
					string(m.CurrentModeId) == id)
			}
		}
		return nil
	}
	option := findSelect(offer.ConfigOptions, sdk.SessionConfigOptionCategoryMode)
	if option == nil {
		return nil
	}
	for _, id := range wanted {
		if slices.Contains(optionIDs(option), sdk.SessionConfigValueId(id)) {
			return s.configure(ctx, offer.SessionId, option, id)
		}
	}
	return nil
}

// chooseModel sets the model that was asked for. It fails if the agent offers no
// choice: the session would run with another model than the user has set.
func (s *session) chooseModel(ctx context.Context, offer sdk.NewSessionResponse) error {
	model := s.prompt.Model
	option := findSelect(offer.ConfigOptions, sdk.SessionConfigOptionCategoryModel)
	switch {
	case model == "":
		if offer.Models != nil {
			s.record.model(string(offer.Models.CurrentModelId))
		} else if option != nil {
			s.record.model(string(option.CurrentValue))
		}
		return nil
	case offer.Models == nil && option == nil:
		return fmt.Errorf("the agent offers no choice of models; name %s in its command instead", model)
	}
	s.record.model(model)
	if option != nil {
		return s.configure(ctx, offer.SessionId, option, model)
	}
	return s.sendSetting(ctx, sdk.AgentMethodSessionSetModel, sdk.UnstableSetSessionModelRequest{SessionId: offer.SessionId, ModelId: sdk.UnstableModelId(model)},
		string(offer.Models.CurrentModelId) == model)
}

func (s *session) configure(ctx context.Context, id sdk.SessionId, o *sdk.SessionConfigOptionSelect, value string) error {
	return s.sendSetting(ctx, sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{
		ValueId: &sdk.SetSessionConfigOptionValueId{SessionId: id, ConfigId: o.Id, Value: sdk.SessionConfigValueId(value)}}, string(o.CurrentValue) == value)
}

// sendSetting makes a setting unless it is made already.
func (s *session) sendSetting(ctx context.Context, method string, params any, already bool) error {
	if already {
		return nil
	}
	_, err := sdk.SendRequest[json.RawMessage](s.conn, ctx, method, params)
	return err
}

func findSelect(options []sdk.SessionConfigOption, category sdk.SessionConfigOptionCategory) *sdk.SessionConfigOptionSelect {
	for _, o := range options {
		if o.Select != nil && o.Select.Category != nil && *o.Select.Category == category {
			return o.Select
		}
	}
	return nil
}

func optionIDs(o *sdk.SessionConfigOptionSelect) (ids []sdk.SessionConfigValueId) {
	var all []sdk.SessionConfigSelectOption
	if o.Options.Ungrouped != nil {
		all = *o.Options.Ungrouped
	}
	if o.Options.Grouped != nil {
		for _, group := range *o.Options.Grouped {
			all = append(all, group.Options...)
		}
	}
	for _, option := range all {
		ids = append(ids, option.Value)
	}
	return ids
}
