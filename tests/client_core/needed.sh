#!/usr/bin/env bash
# Checks that a program needs no shared libraries but libsodium and those of the compiler: needed.sh PROGRAM
set -euo pipefail
wrong=$(readelf --dynamic "${1:?usage: needed.sh PROGRAM}" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
  grep -vE '^(libsodium|libstdc\+\+|libc\+\+|libc\+\+abi|libunwind|libm|libgcc_s|libc|ld-linux.*)\.so' || true)
[[ ! $wrong ]] || { printf 'other libraries are needed:\n%s\n' "$wrong" >&2; exit 1; }
