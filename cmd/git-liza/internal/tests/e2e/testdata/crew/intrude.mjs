// What an agent's process tries that knows the secret address and has a form's token.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const crew = process.argv[2];
const target = JSON.parse(readFileSync(crew + "/target.json"));
const origin = new URL(target.page).origin;
const got = {};
for (const path of ["/", "/open/", "/s/", "/open/" + "0".repeat(43)]) {
	const r = await fetch(origin + path, { redirect: "manual" });
	got[path] = [r.status, (await r.text()).length];
}
const r = await fetch(target.action, {
	method: "POST", redirect: "manual", body: new URLSearchParams(target.fields),
	headers: { "Content-Type": "application/x-www-form-urlencoded", "Origin": origin, "Sec-Fetch-Site": "same-origin" },
});
const text = await r.text();
got.form = [r.status, text.includes("identity")];
writeFileSync(crew + "/got.new", JSON.stringify(got));
if (!existsSync(crew + "/got.json")) (await import("node:fs")).renameSync(crew + "/got.new", crew + "/got.json");
