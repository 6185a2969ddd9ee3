# Reads the events of `go test -json`; prints a line for each test, the output
# of those that failed and the figures of the others, a line for each package,
# and the sums. Exits 1 if a test or a package failed, or did not come to an end.

function field(name,    at, value) {
	at = index($0, "\"" name "\":\"")
	if (!at) return ""
	value = substr($0, at + length(name) + 4)
	sub(/".*/, "", value)
	return value
}

# The text of the output field, which is the last one.
function output(    at, text) {
	at = index($0, "\"Output\":\"")
	if (!at) return ""
	text = substr($0, at + 10)
	sub(/"(,"OutputType":"[a-z-]*")?}$/, "", text)
	gsub(/\\\\/, "\001", text)
	gsub(/\\n/, "\n", text)
	gsub(/\\t/, "\t", text)
	gsub(/\\r/, "", text)
	gsub(/\\"/, "\"", text)
	gsub(/\\u003c/, "<", text)
	gsub(/\\u003e/, ">", text)
	gsub(/\\u0026/, "\\&", text)
	gsub(/\\u001b/, "", text)
	gsub("\001", "\\", text)
	return text
}

# Measurements that a test logged as "figures: ...", although it passed.
function figures(text,    lines, n, i) {
	n = split(text, lines, "\n")
	for (i = 1; i <= n; i++) if (sub(/^ *[a-z_]+\.go:[0-9]+: figures: /, "     ", lines[i])) print lines[i]
}

!/^\{/ { print; next }

{
	action = field("Action"); package = field("Package"); test = field("Test")
	key = package SUBSEP test
}

action == "build-output" { printf "%s", output() }
action == "start" { open[package] = 1 }
action == "output" { said[key] = said[key] output() }

action == "pass" || action == "fail" || action == "skip" {
	if (test != "") {
		count[action]++
		if (action == "fail") broken[package] = 1
		if (action == "fail" || test !~ /\//) print toupper(action), package, test
		if (action == "fail") printf "%s", said[key]
		else figures(said[key])
	} else {
		delete open[package]
		ended++
		if (action == "fail" && !broken[package]) {
			count["fail"]++
			printf "%s", said[key]
		}
		print (action == "fail" ? "FAIL" : "ok"), package
	}
	delete said[key]
	fflush()
}

END {
	for (package in open) {
		print "FAIL", package, "did not come to an end"
		count["fail"]++
	}
	if (!ended) {
		print "FAIL no package was tested"
		count["fail"]++
	}
	printf "%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"]
	exit count["fail"] > 0
}
