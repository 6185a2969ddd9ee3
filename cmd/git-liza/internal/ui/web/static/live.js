"use strict";
// Replaces the parts of the page that look different now. Without it the pages are whole,
// only not live.
(() => {
	const live = document.getElementById("live");
	const waiting = new Map(); // parts that hold the focus, with what they will become

	const say = (text) => { if (live) live.textContent = text; };

	// What a person opened stays open, what they scrolled stays where it is.
	const keep = (section) => {
		const open = new Map();
		for (const d of section.querySelectorAll("details[data-key]")) open.set(d.dataset.key, d.open);
		const at = [...section.querySelectorAll("[tabindex='0']")].map((e) => {
			const end = e.scrollTop + e.clientHeight >= e.scrollHeight - 4;
			return [e.scrollTop, e.scrollLeft, end && e.hasAttribute("data-tail")];
		});
		return () => {
			for (const d of section.querySelectorAll("details[data-key]")) if (open.has(d.dataset.key)) d.open = open.get(d.dataset.key);
			[...section.querySelectorAll("[tabindex='0']")].forEach((e, i) => {
				if (!at[i]) return;
				e.scrollTop = at[i][2] ? e.scrollHeight : at[i][0];
				e.scrollLeft = at[i][1];
			});
		};
	};

	const replace = (section, news) => {
		const restore = keep(section);
		section.innerHTML = news.html;
		section.dataset.sum = news.sum;
		section.dataset.version = news.version;
		section.classList.remove("stale");
		section.classList.add("fresh");
		setTimeout(() => section.classList.remove("fresh"), 1000);
		restore();
		count();
		ages();
	};

	const take = (news) => {
		const section = document.getElementById(news.id);
		if (!section || section.dataset.sum === news.sum) return;
		if (section.contains(document.activeElement) || selects(section)) {
			waiting.set(news.id, news);
			section.classList.add("stale");
			return;
		}
		waiting.delete(news.id);
		replace(section, news);
	};

	const selects = (section) => {
		const s = document.getSelection();
		return s && !s.isCollapsed && s.anchorNode && section.contains(s.anchorNode);
	};

	const settle = () => setTimeout(() => {
		for (const news of [...waiting.values()]) take(news);
	}, 0);
	document.addEventListener("focusout", settle);
	document.addEventListener("selectionchange", settle);

	// The number beside the inbox is that of the items that are shown.
	const count = () => {
		const items = document.querySelector("#part-inbox .items, #part-items .items");
		const at = document.querySelector("[data-count]");
		if (items && at) at.textContent = items.querySelectorAll(".item:not(.of-others)").length;
	};

	const span = (s) => s < 60 ? Math.floor(s) + "s" : s < 3600 ? Math.floor(s / 60) + "m" : s < 172800 ? Math.floor(s / 3600) + "h" : Math.floor(s / 86400) + " days";
	const ages = () => {
		for (const t of document.querySelectorAll("time[datetime]")) {
			const s = (Date.now() - Date.parse(t.dateTime)) / 1000;
			if (Number.isNaN(s)) continue;
			const text = s < 0 ? "in " + span(-s) : span(s) + " ago";
			if (t.textContent !== text) t.textContent = text;
		}
	};

	// A double click copies a command.
	document.addEventListener("dblclick", (e) => {
		const code = e.target.closest && e.target.closest("code.command");
		if (code && navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(() => say("copied: " + code.textContent));
	});

	const follow = () => {
		const at = document.body.dataset.events;
		if (!at || !window.EventSource) return;
		const source = new EventSource(at);
		source.addEventListener("open", () => say("live"));
		source.addEventListener("part", (e) => take(JSON.parse(e.data)));
		source.addEventListener("error", () => {
			say("not live: " + (source.readyState === EventSource.CLOSED ? "too many pages are open, or git liza web has ended" : "connecting …"));
			if (source.readyState === EventSource.CLOSED) setTimeout(follow, 30000);
		});
		addEventListener("pagehide", () => source.close());
	};

	document.querySelectorAll("[data-tail]").forEach((e) => { e.scrollTop = e.scrollHeight; });
	setInterval(ages, 20000);
	follow();
})();
