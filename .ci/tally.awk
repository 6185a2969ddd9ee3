# Reads the events of `go test -json`; prints a line for each test, the output
# of those that failed and the figures of the others, a line for each package with
# what is still under way, and at the end what took longest, what failed, and the
# sums. Exits 1 if a test or a package failed, or did not come to an end.

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

# The seconds of a test or package: a number, the last field of its event.
function elapsed(    at) {
	at = index($0, "\"Elapsed\":")
	return at ? substr($0, at + 10) + 0 : 0
}

# What has begun and not ended.
function underWay(    p, list) {
	for (p in open) list = list (list ? ", " : "") name(p)
	return list ? "; under way: " list : ""
}

# A package or test without the path that all packages share.
function name(path) {
	sub(/^github\.com\/git-liza\/git-liza\/?/, "", path)
	return path ? path : "."
}

!/^\{/ { print; next }

{
	action = field("Action"); package = field("Package"); test = field("Test")
	key = package SUBSEP test
}

action == "build-output" { printf "%s", output() }
action == "start" {
	open[package] = 1
	if (!begun++) print "go compiles, then tests; a line for each test as it ends"
}
action == "output" { said[key] = said[key] output() }

action == "pass" || action == "fail" || action == "skip" {
	if (test != "") {
		count[action]++
		if (action == "fail") broken[package] = 1
		if (action == "fail" || test !~ /\//) print toupper(action), package, test
		if (action == "fail") printf "%s", said[key]
		else figures(said[key])
		if (action == "fail") failed[++fails] = name(package) " " test
		if (test !~ /\//) keep(elapsed(), name(package) " " test)
	} else {
		delete open[package]
		ended++
		if (action == "fail" && !broken[package]) {
			count["fail"]++
			failed[++fails] = name(package)
			printf "%s", said[key]
		}
		printf "%s %s %.0fs%s\n", action == "fail" ? "FAIL" : "ok", package, elapsed(), underWay()
	}
	delete said[key]
	fflush()
}

# keep keeps the longest tests, sorted.
function keep(took, test,    i) {
	for (i = longest; i > 0 && long[i] < took; i--) if (i < 10) {
		long[i + 1] = long[i]
		slow[i + 1] = slow[i]
	}
	if (i == 10) return
	long[i + 1] = took
	slow[i + 1] = test
	if (longest < 10) longest++
}

END {
	for (package in open) {
		print "FAIL", package, "did not come to an end"
		failed[++fails] = name(package) ", which did not come to an end"
		count["fail"]++
	}
	if (longest) print "the longest, in seconds beside others:"
	for (i = 1; i <= longest; i++) printf "%8.1f  %s\n", long[i], slow[i]
	if (fails) print "failed:"
	for (i = 1; i <= fails; i++) print "     " failed[i]
	if (!ended) {
		print "FAIL no package was tested"
		count["fail"]++
	}
	printf "%d passed, %d failed, %d skipped\n", count["pass"], count["fail"], count["skip"]
	exit count["fail"] > 0
}
