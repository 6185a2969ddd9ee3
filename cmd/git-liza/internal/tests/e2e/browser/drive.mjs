// Drives a browser through the pages of git liza web while agents work, and prints a line
// for each step: "ok NAME" or "failed NAME: WHY". What it needs comes in DRIVE, see
// web_test.go.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const given = JSON.parse(process.env.DRIVE);
const load = createRequire(given.modules + "/package.json");
const { chromium } = load("playwright-core");
const axe = load("axe-core").source;

const liza = (...args) => execFileSync(given.program, args, { cwd: given.repository, encoding: "utf8" });
const data = (...args) => JSON.parse(liza(...args, "--json")).data;
const check = (holds, why) => { if (!holds) throw new Error(why); };
const until = async (what, happened) => {
	for (let n = 0; n < 600; n++) {
		if (await happened()) return;
		await new Promise((go) => setTimeout(go, 100));
	}
	throw new Error("not in a minute: " + what);
};

let failed = 0;
const step = async (name, what) => {
	try {
		await what();
		console.log("ok " + name);
	} catch (wrong) {
		failed++;
		console.log("failed " + name + ": " + String(wrong.message ?? wrong).split("\n").slice(0, 6).join(" | "));
	}
};

const browser = await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox"] });
const screen = { viewport: { width: 1280, height: 720 } };
const context = await browser.newContext({ ...screen, colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(15000);
const complaints = [];
const listen = (p) => {
	p.on("console", (m) => { if (m.type() === "error") complaints.push(p.url() + " " + m.text()); });
	p.on("pageerror", (e) => complaints.push(p.url() + " " + e.message));
};
listen(page);
const picture = (name, p = page) => p.screenshot({ path: given.pictures + "/" + name + ".png" });
let home; // the secret address of the board

await step("the address opens the pages once", async () => {
	await page.goto(given.url);
	home = page.url();
	check(/\/s\/[^/]+\/$/.test(home), "the board is at " + home);
	check(await page.locator("h1").count() === 1, "the page has not one heading");
	const again = await (await browser.newContext()).newPage();
	const answer = await again.goto(given.url);
	check(answer.status() === 410, "a second time it answers " + answer.status());
	await again.context().close();
});

await step("what needs the person stands above the fold", async () => {
	const items = page.locator("#part-inbox .item");
	check(await items.count() === 2, "the inbox has " + await items.count() + " items");
	for (const item of await items.all()) {
		const box = await item.boundingBox();
		check(box.y + box.height <= 720, "an item ends at " + (box.y + box.height));
		const command = (await item.locator("code.command").textContent()).trim();
		check(data("inbox").items.some((i) => i.command === command), "the inbox does not say " + command);
	}
	await picture("web-board");
});

await step("the board moves by itself", async () => {
	await until("the page is live", async () => (await page.locator("#live").textContent()) === "live");
	await page.evaluate(() => { window.untouched = true; });
	const before = await page.locator("#part-log").textContent();
	liza("note", "The servers are new");
	const began = Date.now();
	await page.waitForFunction((was) => document.querySelector("#part-log").textContent !== was, before);
	check(Date.now() - began < 5000, "it took " + (Date.now() - began) + " ms");
	check(await page.evaluate(() => window.untouched), "the page was loaded again");
});

await step("a question is answered", async () => {
	await page.locator("#part-inbox .item", { hasText: "Is 0 no limit" }).getByRole("link", { name: "limits" }).click();
	await page.getByLabel("Is 0 no limit").fill("It is no time at all.");
	await page.getByRole("button", { name: "Answer" }).click();
	check((await page.locator("h1").textContent()) === "Done", "the page says " + await page.locator("main").textContent());
	check(liza("record", "list", "questions", "--all", "--json").includes('"answer":"It is no time at all."'), "the board has no such answer");
	await page.getByRole("link", { name: "Board", exact: true }).click();
	await until("the question is gone", async () => await page.locator("#part-inbox .item").count() === 1);
});

await step("a form is good once", async () => {
	await page.getByRole("link", { name: "Steer", exact: true }).click();
	await page.getByLabel("The word").fill("Twice");
	const form = page.locator("form", { hasText: "The word" });
	const action = new URL(await form.getAttribute("action"), page.url()).href;
	const fields = await form.evaluate((f) => [...new FormData(f)].map(([k, v]) => k + "=" + encodeURIComponent(v)).join("&"));
	const send = () => page.evaluate(([to, body]) => fetch(to, { method: "POST", body, headers: { "Content-Type": "application/x-www-form-urlencoded" } }).then((r) => r.status), [action, fields]);
	const first = await send(), second = await send();
	check(first === 200 && second === 409, "it answers " + first + ", then " + second);
	complaints.splice(0, complaints.length, ...complaints.filter((c) => !c.includes("409")));
});

await step("a task shows its diff with the findings at their lines", async () => {
	await page.goto(home + "task/usage");
	check(await page.locator(".patch .line", { hasText: "Type `sh lib/scale.sh 20`." }).count() > 0, "the diff lacks a line");
	await picture("web-task");
	await page.locator("#part-work").getByRole("link", { name: "all" }).first().click();
	const lines = await page.locator(".patch tr").allTextContents();
	const at = lines.findIndex((l) => l.includes("Type `sh lib/scale.sh 20`."));
	check(at >= 0 && (lines[at + 1] ?? "").includes("the unit of a bare number is not said"), "the first submission shows " + lines.join(" / "));
	await picture("web-diff");
});

await step("a task is approved", async () => {
	await page.goto(home + "task/usage");
	const shown = (await page.locator("#verdict h2 code").textContent()).trim();
	check(/^[0-9a-f]{40}$/.test(shown), "the verdict is on " + shown);
	await page.getByLabel("A word with the approval").fill("Short and good");
	await page.getByRole("button", { name: "Approve" }).click();
	check((await page.locator("h1").textContent()) === "Done", "the page says " + await page.locator("main").textContent());
	await until("usage is merged", () => data("show", "usage").status === "MERGED");
});

await step("what an agent prints is live", async () => {
	const agent = data("show", "table").assigned_to;
	await page.goto(home + "agent/" + agent);
	await until("its output is there", async () => (await page.locator("#part-output").textContent()).includes("I measure the columns"));
	await picture("web-agent");
});

// intrude has an agent's own process try what it can with a form that it should not know.
await step("an agent's process gets nothing and may send nothing", async () => {
	await page.goto(home + "steer");
	const form = page.locator("form", { hasText: "Why" }).first();
	const fields = await form.evaluate((f) => Object.fromEntries(new FormData(f)));
	fields.text = "An agent stops the others";
	writeFileSync(given.crew + "/target.new", JSON.stringify({ page: home, action: new URL(await form.getAttribute("action"), page.url()).href, fields }));
	execFileSync("mv", [given.crew + "/target.new", given.crew + "/target.json"]);
	await until("the agent tried", () => existsSync(given.crew + "/got.json"));
	const got = JSON.parse(readFileSync(given.crew + "/got.json"));
	for (const path of Object.keys(got).filter((p) => p !== "form")) check(got[path][0] === 404 && got[path][1] === 0, path + " answers " + got[path]);
	check(got.form[0] === 403 && got.form[1], "a form of an agent's process answers " + got.form);
	check(data("status").control.state === "RUNNING", "the board is " + data("status").control.state);
});

await step("work goes on to the end of the page", async () => {
	await page.goto(home);
	await page.evaluate(() => { window.untouched = true; });
	writeFileSync(given.crew + "/go-parser", "");
	await until("parser is merged", () => data("show", "parser").status === "MERGED");
	await until("the log of the page says so", async () => /parser\s*merge/.test(await page.locator("#part-log").textContent()));
	check(await page.evaluate(() => window.untouched), "the page was loaded again");
});

// The pages of the list, with one of each kind that is not there.
const places = async () => {
	await page.goto(home);
	const list = await page.locator("nav a").evaluateAll((links) => links.map((a) => a.href));
	return [...list, home + "task/usage", home + "task/usage/diff?n=1", home + "task/limits", home + "agent/" + data("show", "table").assigned_to, home + "?at=" + data("log").moves[0].state];
};

for (const colours of ["light", "dark"]) {
	await step("every page is sound for assistive technology, " + colours, async () => {
		await page.emulateMedia({ colorScheme: colours });
		const wrong = [];
		for (const place of await places()) {
			const answer = await page.goto(place);
			check(answer.status() === 200, place + " answers " + answer.status());
			const found = await audit();
			for (const v of found) if (["serious", "critical"].includes(v.impact)) wrong.push(place.slice(home.length - 1) + " " + v.id + ": " + v.nodes.map((n) => n.target).slice(0, 3).join(" "));
			if (place.startsWith(home) && !place.includes("?")) await picture("web-" + (place.slice(home.length).replaceAll("/", "-") || "board") + "-" + colours);
		}
		check(wrong.length === 0, [...new Set(wrong)].join("; "));
	});
}

// audit runs axe in a world of its own, which the page's policy does not bind.
async function audit() {
	const session = await context.newCDPSession(page);
	const { frameTree } = await session.send("Page.getFrameTree");
	const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
	await session.send("Runtime.evaluate", { expression: axe, contextId });
	const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
		contextId, awaitPromise: true, returnByValue: true,
		expression: 'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) => ({ id: v.id, impact: v.impact, nodes: v.nodes.map((n) => ({ target: n.target.join(" ") })) })))',
	});
	await session.detach();
	if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
	return result.value;
}

await step("all is reached by keyboard, and the focus is seen", async () => {
	await page.emulateMedia({ colorScheme: "light" });
	await page.goto(home + "task/table");
	const seen = new Set();
	for (let n = 0; n < 200; n++) {
		await page.keyboard.press("Tab");
		const at = await page.evaluate(() => {
			const e = document.activeElement;
			if (e === document.body) return null;
			const style = getComputedStyle(e), box = e.getBoundingClientRect();
			window.reached ??= [];
			const again = window.reached.includes(e);
			window.reached.push(e);
			return { again, name: e.tagName + " " + (e.textContent || e.name || "").trim().slice(0, 30), drawn: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none", size: box.width * box.height };
		});
		if (!at) continue;
		if (at.again) break;
		check(at.drawn, "the focus on " + at.name + " is not drawn");
		check(at.size > 0, at.name + " has the focus and no size");
		seen.add(at.name);
	}
	const controls = await page.evaluate(() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
		.filter((e) => e.checkVisibility() && !window.reached.includes(e)).map((e) => e.tagName + " " + e.textContent.trim().slice(0, 30)));
	check(controls.length === 0, "not reached: " + controls.join(", "));
});

await step("a note is left by keyboard alone", async () => {
	await page.goto(home + "task/table");
	const tabTo = async (what, is) => {
		for (let n = 0; n < 200; n++) {
			if (await page.evaluate(is)) return;
			await page.keyboard.press("Tab");
		}
		throw new Error("Tab does not reach " + what);
	};
	await tabTo("the note", () => document.activeElement.tagName === "SUMMARY" && document.activeElement.textContent.includes("Leave a note"));
	await page.keyboard.press("Enter");
	await tabTo("its text", () => document.activeElement.id === "note");
	await page.keyboard.type("Ten rows are enough");
	await page.keyboard.press("Tab");
	await page.keyboard.press("Enter");
	await page.waitForSelector("h1:text-is('Done')");
	check(liza("record", "list", "notes", "--json").includes("Ten rows are enough"), "the board has no such note");
});

await step("the pages can be read and a form sent without a script", async () => {
	const plain = await browser.newContext({ ...screen, javaScriptEnabled: false });
	const p = await plain.newPage();
	await p.goto(given.second);
	check((await p.locator("#part-flow").textContent()).includes("table"), "the board lacks a task");
	check(await p.locator("noscript").count() > 0, "the page is not loaded again");
	await p.goto(p.url() + "steer");
	await p.getByLabel("The word").fill("Without a script");
	await p.getByRole("button", { name: "Write the note" }).click();
	check((await p.locator("h1").textContent()) === "Done", "the page says " + await p.locator("main").textContent());
	await plain.close();
});

await step("a narrow window does not scroll sideways", async () => {
	await page.setViewportSize({ width: 360, height: 640 });
	for (const place of [home, home + "inbox", home + "task/usage"]) {
		await page.goto(place);
		const wide = await page.evaluate(() => document.documentElement.scrollWidth);
		check(wide <= 360, place.slice(home.length - 1) + " is " + wide + " wide");
	}
	await picture("web-narrow");
	await page.setViewportSize(screen.viewport);
});

await step("another server in the same browser gets nothing", async () => {
	const heard = [];
	const attack = `<!doctype html><title>stranger</title><iframe id="f" src="${home}"></iframe><img id="i" src="${home}static/icon.svg"><script src="${home}static/live.js"></script>
<form id="s" method="post" action="${home}act" target="_blank"><input name="act" value="pause"><input name="text" value="stranger"></form>
<script>(async () => {
	const got = {};
	got.fetch = await fetch(${JSON.stringify(home)}).then((r) => r.text(), () => "refused");
	got.opaque = await fetch(${JSON.stringify(home)}, { mode: "no-cors" }).then((r) => r.text(), () => "refused");
	const i = document.getElementById("i");
	await new Promise((go) => setTimeout(go, 1000));
	got.image = i.naturalWidth;
	try { got.frame = document.getElementById("f").contentDocument?.body?.textContent ?? "refused"; } catch { got.frame = "refused"; }
	const opened = window.open(${JSON.stringify(home)});
	await new Promise((go) => setTimeout(go, 1000));
	try { got.opened = opened ? opened.document.body.textContent : "refused"; } catch { got.opened = "refused"; }
	got.cookie = document.cookie;
	document.title = JSON.stringify(got);
})();</script>`;
	const server = createServer((q, a) => {
		heard.push({ url: q.url, cookie: q.headers.cookie, referer: q.headers.referer });
		a.setHeader("Content-Type", "text/html");
		a.end(q.url === "/attack" ? attack : "<!doctype html><title>notes</title>");
	});
	const [host, port] = given.stranger.split(":");
	await new Promise((go) => server.listen(Number(port), host, go));
	try {
		const p = await context.newPage();
		await p.goto("http://" + given.stranger + "/attack");
		await p.waitForFunction(() => document.title.startsWith("{"));
		const got = JSON.parse(await p.title());
		check(got.fetch === "refused" && !["", "refused"].every((g) => g !== got.opaque), "it reads " + JSON.stringify(got));
		check(got.image === 0, "it shows a picture of ours");
		check(["refused", ""].includes(got.frame) && ["refused", ""].includes(got.opened) && got.cookie === "", "it gets " + JSON.stringify(got));
		await p.evaluate(() => document.getElementById("s").submit());
		await p.waitForTimeout(1000);
		check(data("status").control.state === "RUNNING", "a form of another server pauses the board");
		await p.close();
		// A link of the spec leads there without a word of where it stood.
		await page.goto(home + "task/table");
		await page.locator("details.spec summary").click();
		const [tab] = await Promise.all([
			Promise.race([context.waitForEvent("page"), page.waitForURL("http://" + given.stranger + "/**").then(() => page)]),
			page.getByRole("link", { name: "notes" }).click(),
		]);
		await tab.waitForLoadState();
		check(await tab.evaluate(() => document.referrer === "" && window.opener === null), "the other page knows where it was called from");
		if (tab !== page) await tab.close();
		for (const h of heard) check(!h.cookie && !(h.referer ?? "").includes("/s/"), "it hears " + JSON.stringify(h));
		check(heard.some((h) => h.url === "/notes"), "the link was not followed");
		check((await context.cookies()).length === 0, "there are cookies");
	} finally {
		server.close();
		server.closeAllConnections();
	}
});

await step("no page complained in the console", async () => {
	check(complaints.length === 0, complaints.slice(0, 5).join(" | "));
});

await browser.close();
process.exit(failed ? 1 : 0);
