package main

import (
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type statusCommand struct {
	Goal  board.GoalID `placeholder:"G" help:"Only this goal and its tasks; default: all, and the goal of git liza goal focus, else the current one, in full."`
	Since string       `placeholder:"last|T" help:"Also what was merged, rejected, asked and used since a time (2026-01-17, 2h, 3d), or since you last asked so in this clone."`
}

func (c *statusCommand) Run(inv *invocation, l look) error {
	var err error
	if l.reading.About, err = aboutGoal(inv, l.clone, l.reading.Board, c.Goal); err != nil {
		return err
	}
	l.reading.Only = c.Goal != ""
	picture, err := l.picture(inv, (*look).findLocal)
	if err != nil {
		return err
	}
	status := picture.Status()
	if status.Since, err = c.news(inv, l); err != nil {
		return err
	}
	if err := l.reading.Board.Err(); err != nil {
		return err
	}
	accent, err := accentOf(inv, l.clone.Repo)
	if err != nil {
		return err
	}
	err = inv.answer("", status, status.Text(inv.width(), accent))
	if err != nil || c.Since != sinceLast {
		return err
	}
	return git.ReplaceJSON(lastLookFile(l.clone.Repo), lastLook{string(l.reading.Tip), l.reading.At.UTC().Truncate(time.Second)})
}

// sinceLast is the value of --since for what happened since it was last given.
const sinceLast = "last"

// news returns what happened since the time asked for, nil if none was.
func (c *statusCommand) news(inv *invocation, l look) (*view.News, error) {
	last := lastLook{}
	switch c.Since {
	case "":
		return nil, nil
	case sinceLast:
		if !l.reading.Person.By.IsHuman() {
			return nil, usagef("git liza status --since 2h", "only people are remembered: an agent names a time")
		}
		if err := l.checkPerson(); err != nil {
			return nil, err
		}
		if last = readLastLook(l.clone.Repo); last.At.IsZero() {
			return view.NewNews(time.Time{}), nil
		}
	default:
		var err error
		if last.At, err = parseTime(c.Since, l.reading.At.UTC()); err != nil {
			return nil, usagef("git liza status --since 2h", "--since: %v", err)
		}
	}
	news := view.NewNews(last.At)
	return news, l.clone.Store.Log(l.reading.Tip, func(e gitstore.Event) (bool, error) {
		if string(e.Commit) == last.Tip || e.Move.At.Before(last.At) {
			return false, nil
		}
		news.Add(e.Move)
		return true, inv.ctx.Err()
	})
}

// A lastLook is the state that a person saw last by status --since last, the file
// liza/seen below git's folder. It is no part of the board.
type lastLook struct {
	Tip string    `json:"tip"`
	At  time.Time `json:"at"`
}

func lastLookFile(repo *git.Repo) string { return privateFile(repo, "seen") }

// readLastLook returns the zero value if nothing is remembered.
func readLastLook(repo *git.Repo) lastLook {
	last, _ := git.ReadJSON[lastLook](lastLookFile(repo))
	return last
}
