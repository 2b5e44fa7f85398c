#!/usr/bin/env bash
# Runs tests of one program in one process: run_suite.sh PROGRAM FILTER [SECONDS]
# A test that crashes or hangs ends that process: it counts as failed, by name, and those after it run alone. If the
# process fails after its last test, as for a leak, each test runs alone, to find out which one it is.
# Tests have a temporary folder of their own, and one in memory for files that a disk would slow down. Both must be empty
# at the end.
# Prints what failed, then "N passed, N failed, N skipped". Status 1 if one failed, 77 if all were skipped. The numbers
# also go to the file TEST_COUNTS_FILE, if that is set: "FOLDER/SUITE passed failed skipped". A program of another
# platform is run by TEST_EMULATOR.
set -uo pipefail
program=${1:?usage: run_suite.sh PROGRAM FILTER [SECONDS]}
read -ra emulator <<<"${TEST_EMULATOR-}"
filter=${2:?usage: run_suite.sh PROGRAM FILTER [SECONDS]}
seconds_max=${3:-480}  # below the TIMEOUT in CMake, after which nobody could name the test
work=$(mktemp -d)
memory=
trap 'rm -rf "$work" $memory' EXIT
output=$work/output
export TMPDIR=$work/temporary TEST_TMPDIR=$work/temporary  # the standard's and gtest's
mkdir "$TMPDIR"
[[ ! -d /dev/shm ]] || memory=$(mktemp -d /dev/shm/mobula.XXXXXX)
export TEST_MEMORY_TMPDIR=${memory:-$TMPDIR}
declare -A outcome=()  # by test name: passed, failed, skipped

# run FILTER: sets status; what it printed is in $output. It has two thirds of the time that is left, so that a test that
# hangs leaves some to others.
run() {
  seconds=$(((seconds_max - SECONDS) * 2 / 3))
  status=124
  : >"$output"
  ((seconds > 0)) || return 0
  # The shell's own words about a signal are left to why().
  { timeout -k 5 "$seconds" ${emulator[@]+"${emulator[@]}"} "$program" --gtest_filter="$1" --gtest_color=no >"$output" 2>&1; } 2>/dev/null
  status=$?
  sed -i 's/\r$//' "$output"  # Windows programs write it
}

# Reads the outcomes from $output. Sets ended (the process reached the end of its last test) and begun (the test that was
# begun and has no outcome).
read_outcomes() {
  local word name
  ended='' begun=''
  while read -r word name; do
    case $word in
      RUN) begun=$name ;;
      OK) outcome[$name]=passed begun='' ;;
      FAILED) outcome[$name]=failed begun='' ;;
      SKIPPED) outcome[$name]=skipped begun='' ;;
      ENDED) ended=1 ;;
    esac
  done < <(sed -nE 's/^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([^ ,]+[.][^ ,]+).*/\1 \2/p; s/^\[==========\] .* ran\..*/ENDED/p' "$output")
}

# Prints the output of tests that did not pass, and what is outside of any test.
show() {
  awk '/^\[ RUN      \]/ { held = ""; inside = 1 }
       inside { held = held $0 "\n" }
       /^\[       OK \]/ { held = ""; inside = 0; next }
       /^\[  (FAILED|SKIPPED) / && inside { printf "%s", held; held = ""; inside = 0; next }
       !inside && !/^(Note: Google Test filter|Running main|$)/ && !/^\[[-=]+\]|^\[  PASSED  \]/
       END { printf "%s", held }' "$output"
}

why() {
  if ((status == 124 || status == 137)); then
    echo "it did not end within $seconds s"
  elif ((status > 128)); then
    echo "it crashed with signal $((status - 128))"
  else
    echo "it ended the process with status $status"
  fi
}

# fail NAME: a test that took its process with it.
fail() {
  outcome[$1]=failed
  echo "[  FAILED  ] $1: $(why)"
}

# Tests that the filter chooses, in their order.
chosen() {
  ${emulator[@]+"${emulator[@]}"} "$program" --gtest_list_tests --gtest_filter="$filter" | tr -d '\r' |
    awk '{ sub(/ *#.*/, "") } /^  / { print suite substr($0, 3); next } /[.]$/ { suite = $0 }'
}

run_alone() {
  run "$1"
  read_outcomes
  show
  if [[ $begun || ! ${outcome[$1]-} ]] || ((status != 0)) && [[ ${outcome[$1]-} != failed ]]; then fail "$1"; fi
}

run "$filter"
read_outcomes
show
failed_before=$(printf '%s\n' "${outcome[@]}" | grep -c failed)
if [[ ! $ended ]]; then
  [[ ! $begun ]] || fail "$begun"
  for name in $(chosen); do [[ ${outcome[$name]-} ]] || run_alone "$name"; done
elif ((status != 0 && failed_before == 0)); then
  echo "Its tests passed, but then $(why). Each runs alone now:"
  for name in $(chosen); do run_alone "$name"; done
  printf '%s\n' "${outcome[@]}" | grep -q failed || fail "$filter"
fi

for folder in "$TMPDIR" $memory; do
  left=$(ls -A "$folder")
  [[ $left ]] || continue
  echo "left in a temporary folder: "$left
  outcome[$filter]=failed
done

count() { printf '%s\n' "${outcome[@]}" | grep -c "^$1$"; }
echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
if [[ ${TEST_COUNTS_FILE-} ]]; then
  folder=${program##*/}
  echo "${folder%_tests}/${filter%.\*} $(count passed) $(count failed) $(count skipped)" >>"$TEST_COUNTS_FILE"
fi
((${#outcome[@]})) || { echo "no test is named $filter"; exit 1; }
(($(count failed) == 0)) || exit 1
(($(count passed))) || exit 77
