#!/usr/bin/env bash
# The libraries of the C interface as a C99 host sees them: library.sh SOURCE_DIR LIB_DIR VERSION CC LINK_FLAGS
# The shared one exports exactly the functions of the header, and needs no library that is none of a client's.
set -euo pipefail
header=$1/client/c/mobula_client.h
library=$2/libmobula-client.so
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
  echo "$1" >&2
  exit 1
}

declared=$(tr '\n' ' ' <"$header" | grep -oE 'MOBULA_API [^;#]*\(' | grep -oE 'mobula_[a-z0-9_]+ *\($' | tr -d ' (' | sort)
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sort)
[[ $(wc -l <<<"$declared") -gt 40 ]] || fail "the header's functions are not found"
difference=$(diff <(echo "$declared") <(echo "$exported")) || fail "declared (<) and exported (>) differ:
$difference"
[[ $(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p') == libmobula-client.so.0 ]] || fail "wrong SONAME"
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE \
  '^(libfmt|libsodium|libxxhash|libstdc\+\+|libc\+\+|libc\+\+abi|libunwind|libm|libgcc_s|libc|ld-linux[a-z0-9-]*)\.so' || true)
[[ ! $needed ]] || fail "the library needs $needed"

flags=(-std=c99 -Wall -Wextra -Wpedantic -Werror "-I${header%/*}" "$1/tests/client/c/library.c")
read -ra link <<<"$5"
"$4" "${flags[@]}" -o "$dir/shared" "${link[@]}" "-L$2" -lmobula-client "-Wl,-rpath,$2"
"$4" "${flags[@]}" -DMOBULA_CLIENT_STATIC -o "$dir/static" "${link[@]}" "$2/libmobula-client.a" \
  -lsodium -lxxhash -lfmt -lstdc++ -lm
for linked in shared static; do
  [[ $("$dir/$linked") == "$3 not a connect token" ]] || fail "the $linked library does not work: $("$dir/$linked")"
done
