package screen

import "strconv"

// agentsPart draws who does what.
func (d *drawing) agentsPart(width, height int) []string {
	list := d.content.agents
	if len(list) == 0 {
		return []string{d.heading("Agents", "none is registered: git liza rush", width, d.focus == agents)}
	}
	from, to := d.visible(agents, height-1)
	more := ""
	if hidden := len(list) - (to - from); hidden > 0 {
		more = strconv.Itoa(hidden) + " more"
	}
	lines := []string{d.heading("Agents "+strconv.Itoa(len(list)), more, width, d.focus == agents)}
	ids, texts := 0, 0
	for i := from; i < to; i++ {
		r := d.content.row(agents, i)
		ids, texts = max(ids, cells(string(r.agent))), max(texts, cells(r.text))
	}
	ids = min(ids, width/3)
	texts = max(0, min(texts, width-ids-11))
	for i := from; i < to; i++ {
		lines = append(lines, d.agentLine(i, width, ids, texts))
	}
	return lines
}

// agentLine draws an agent: id, what it does, for how long, what that cost, how full its
// context is, and what it printed last.
func (d *drawing) agentLine(i, width, ids, texts int) string {
	a := &d.content.agents[i]
	r := d.content.row(agents, i)
	mark, s := d.mark(agents, i)
	if r.calls {
		s = needed
	}
	spans := []span{mark, {fit(plain(string(a.ID)), ids) + "  ", s}, {fit(r.text, texts), s}, {fitLeft(r.age, 5) + "  ", faint}}
	room := width
	for _, p := range spans {
		room -= cells(p.text)
	}
	if spent := a.Spent(); cells(spent) <= room && spent != "" {
		spent = fit(spent, min(room, 14)) + "  "
		spans = append(spans, span{spent, normal})
		room -= cells(spent)
	}
	if full := a.Context(); cells(full) <= room && full != "" {
		full = fit(full, min(room, len("ctx 100% ")))
		spans = append(spans, span{full, normal})
		room -= cells(full)
	}
	if room >= 16 {
		d.agents[a.ID] = true
		if printed := d.printed[a.ID]; len(printed) > 0 {
			spans = append(spans, span{cut("> "+plain(printed[len(printed)-1]), room), faint})
		}
	}
	return d.styles.line(width, spans...)
}
