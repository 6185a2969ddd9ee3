// Opens boards on which one thing is wrong, and prints a line for each: "ok NAME" if what
// it needs stands on its first page without scrolling, or "failed NAME: WHY". What it
// needs comes in DRIVE, see web_test.go.
import { createRequire } from "node:module";

const given = JSON.parse(process.env.DRIVE);
const { chromium } = createRequire(given.modules + "/package.json")("playwright-core");
const browser = await chromium.launch({ executablePath: given.chromium, args: ["--no-sandbox"] });
let failed = 0;
for (const board of given.boards) {
	const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
	page.setDefaultTimeout(15000);
	let why = "";
	await page.goto(board.url);
	if (!await page.locator("#part-inbox .item").first().isVisible()) why = "nothing needs the person: " + (await page.locator("body").textContent()).slice(0, 300);
	else for (const [i, need] of board.needs.entries()) {
		const item = page.locator("#part-inbox .item").nth(i);
		const sentence = item.locator(".sentence"), command = item.locator("code.command");
		for (const [what, at, is] of [["sentence", sentence, (t) => new RegExp(need.Sentence).test(t)], ["command", command, (t) => t === need.Command]]) {
			const text = (await at.textContent()).trim(), box = await at.boundingBox();
			if (!is(text)) why ||= `item ${i + 1} has the ${what} ${text}`;
			if (!box || box.y + box.height > 720 || box.x + box.width > 1280) why ||= `the ${what} of item ${i + 1} is not on the first screen`;
		}
	}
	await page.screenshot({ path: `${given.pictures}/web-fault-${board.name}.png` });
	await page.close();
	failed += why ? 1 : 0;
	console.log(why ? `failed ${board.name}: ${why}` : `ok ${board.name}`);
}
await browser.close();
process.exit(failed ? 1 : 0);
