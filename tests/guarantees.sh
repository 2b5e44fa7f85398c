#!/usr/bin/env bash
# Every row of guarantees.md and REPORTS.md names its tests, and all tests that the pages name exist:
# guarantees.sh BUILD_DIR. Names are those of ctest's entries, and of single tests in the lists that ctest leaves beside
# the test programs. Names each row and each name that is wrong, as page:line: reason; status 1 if there was one.
set -euo pipefail
build=${1:?usage: guarantees.sh BUILD_DIR}
tests=$(dirname "${BASH_SOURCE[0]}")
names=$(
  ctest --test-dir "$build" -N | sed -nE 's/^ *Test +#[0-9]+: //p'
  cat "$build"/bin/*_tests.list
)

check_page() { awk -v page="${1##*/}" '
  # Two inputs: names of tests, then the page.
  NR == FNR { names[$0]; next }

  function wrong(reason) { printf "%s:%d: %s\n", page, FNR, reason; found = 1 }
  # A name, or the beginning of several: "server/ServerVisibility.*".
  function check(name,    pattern, each) {
    if (name in names || name in known) return
    pattern = name
    gsub(/[.]/, "[.]", pattern)
    gsub(/[*]/, ".*", pattern)
    for (each in names) if (each ~ "^" pattern "$") { known[name]; return }
    wrong("there is no test \x27" name "\x27")
  }
  # Checks what stands between backquotes and looks like one of `shape`; gives how many there are.
  function check_quoted(text, shape,    parts, count, i, number) {
    count = split(text, parts, "`")
    for (i = 2; i < count; i += 2) if (parts[i] ~ shape) { check(parts[i]); ++number }
    return number
  }

  /^\| (promise|limit|no\.) \|/ || /^\|---/ { next }
  /^\|/ {
    ++rows
    sub(/ \|$/, "")
    sub(/^.* \| /, "")
    if (!check_quoted($0, "")) wrong("no test is named")
    next
  }
  { check_quoted($0, "^[a-z_]+/[A-Z]") }

  END {
    if (!rows) print page ": there are no rows"
    exit found || !rows
  }' - "$1" <<<"$names"
}

status=0
for page in "$tests/../docs/guarantees.md" "$tests/REPORTS.md"; do check_page "$page" || status=1; done
exit "$status"
