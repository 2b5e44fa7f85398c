#!/usr/bin/env bash
# How many tests a run of ctest had: count.sh COUNTS LOG
# COUNTS has "NAME passed failed skipped" of each suite that run_suite.sh ran, LOG is ctest's output. Every other entry of
# ctest's is one test, and so is a suite that has no counts, as ctest ended it. Prints "N passed, N failed, N skipped";
# status 1 if one failed or there is none.
set -euo pipefail
awk '
  FILENAME == ARGV[1] { passed_of[$1] = $2; failed_of[$1] = $3; skipped_of[$1] = $4; next }

  # "  3/120 Test  #3: core/Hash ....   Passed    0.01 sec", "***Failed", "***Timeout", "***Skipped", "***Not Run"
  /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    name = $0
    sub(/^[^#]*#[0-9]+: /, "", name)
    sub(/ .*/, "", name)
    good = / Passed +[0-9.]+ sec/
    idle = /[*]Skipped/
    if (name in passed_of) {
      passed += passed_of[name]
      failed += failed_of[name]
      skipped += skipped_of[name]
      if (!good && !idle && !failed_of[name]) ++failed
    } else if (good) {
      ++passed
    } else if (idle) {
      ++skipped
    } else {
      ++failed
    }
  }

  END {
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed || !passed
  }' "$1" "$2"
