#!/usr/bin/env bash
# Installs each package into an empty root and uses it there: packages.sh PACKAGES BUILD
# PACKAGES is what cmake/package/package.sh made of BUILD. A root holds what a package depends on, and nothing else.
set -euo pipefail
shopt -s nullglob
packages=$(cd "${1:?usage: packages.sh PACKAGES BUILD}" && pwd)
build=$(cd "${2:?usage: packages.sh PACKAGES BUILD}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
source "$tree/tests/serve.sh"
source "$here/root.sh"
((EUID == 0)) || { echo "packages.sh: chroot needs root" >&2; exit 1; }
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$dir"' EXIT
fail() {
  echo "packages.sh: $*" >&2
  exit 1
}

# started LOG COMMAND…: serves, and requires that the server starts.
started() {
  serve "$@" --port 0 --admin-port 0
  [[ $admin ]] || { cat "$1"; fail "${*:2} does not start"; }
}

# stopped LOG: stops the server and requires that it ends in good order.
stopped() {
  kill -TERM "$server"
  wait "$server" || { cat "$1"; fail "the server ended with an error"; }
}

# token FILE: writes a connect token of the server.
token() {
  python3 -c '
import json, sys, urllib.request
with urllib.request.urlopen(sys.argv[1] + "/api/tokens", b"{\"count\": 1}") as answer:
    print(json.load(answer)["tokens"][0], end="")' "$admin" >"$1"
}

# joins ROOT CLIENT: mirrors the server in mobula-client, and requires that its hashes were right.
joins() {
  "$within" "$1" "$2" --connect "127.0.0.1:$port" --admin "$admin" --ticks 20 --json >"$dir/seen"
  grep -q '"mismatched_ticks":0,' "$dir/seen" || { cat "$dir/seen"; fail "a mirror is wrong"; }
}

# prints PATTERN COMMAND…: the command prints this within 30 s, and is then ended.
prints() {
  : >"$dir/printed"  # else the lines of the command before count
  (trap - EXIT && exec "${@:2}") >"$dir/printed" 2>&1 &
  local program=$! tries
  for ((tries = 0; tries < 300; ++tries)); do
    if grep -qE "$1" "$dir/printed" || ! kill -0 "$program" 2>/dev/null; then break; fi
    sleep 0.1
  done
  kill "$program" 2>/dev/null || true
  wait "$program" || true
  grep -qE "$1" "$dir/printed" || { tail -n 20 "$dir/log" "$dir/printed"; fail "${*:2} has not printed '$1'"; }
}

# The service: installed but not enabled, and started as systemd starts it.
server_package() {
  local root=$dir/server unit user
  make_root "$root" $(dependencies "$packages"/mobula-server_*.deb)
  install_packages "$root" "$packages"/mobula-server_*.deb
  unit=$root/lib/systemd/system/mobula-server.service
  [[ ! $(find "$root/etc/systemd" -name 'mobula*' 2>/dev/null) ]] || fail "the service is enabled"
  systemd-analyze security --offline=true --threshold=15 --no-pager "$unit" >"$dir/unit" ||
    { cat "$dir/unit"; fail "the unit is too open"; }
  user=$(sed -n 's/^User=//p' "$unit")
  "$within" "$root" install -d -o "$user" -g "$user" -m 750 "/var/lib/$(sed -n 's/^StateDirectory=//p' "$unit")"
  started "$dir/log" "$within" "$root" setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs \
    $(sed -n 's/^ExecStart=//p' "$unit")
  joins "$root" mobula-client
  "$within" "$root" mobula-token --new-key /tmp/shared.key >/dev/null
  stopped "$dir/log"
  [[ -s $root/var/lib/mobula/world.db ]] || fail "the world was not saved"
  "$within" "$root" dpkg --purge mobula-server >"$dir/purged" 2>&1 || { cat "$dir/purged"; fail "dpkg --purge failed"; }
  [[ ! -e $root/etc/mobula && -s $root/var/lib/mobula/world.db ]] || fail "a purge left settings, or took the world"
}

# The tarball: unpacked in any folder of a system that has a C++ library and nothing of what Mobula links. Its server
# goes on for the clients of the other packages.
home="/opt/a folder/mobula"
tarball() {
  local root=$dir/bare
  make_root "$root" libstdc++6
  mkdir -p "$root${home%/*}"
  tar -C "$root${home%/*}" -xzf "$packages"/mobula-*-linux-*.tar.gz
  mv "$root${home%/*}"/mobula-* "$root$home"
  started "$dir/log" "$within" "$root" "$home/bin/mobula-server" --level "$home/share/mobula/village.level"
  joins "$root" "$home/bin/mobula-client"
  "$within" "$root" "$home/bin/mobula-bots" --connect "127.0.0.1:$port" --admin "$admin" --clients 2 --seconds 1 >/dev/null
}

# The example in C: compiled as C99 with pkg-config, and with CMake, where the static library is linked too.
client_packages() {
  local root=$dir/developer each
  make_root "$root" g++ cmake ninja-build $(dependencies "$packages"/{libmobula,mobula-dev}*.deb)
  install_packages "$root" "$packages"/libmobula-client*.deb
  mkdir "$root/tmp/c"
  cp "$tree/client/c/example.c" "$here/c/CMakeLists.txt" "$root/tmp/c"
  "$within" "$root" bash -ec 'cd /tmp/c
    gcc -std=c99 -Wall -Werror example.c $(pkg-config --cflags --libs mobula-client) -o plain
    cmake -B build -G Ninja -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=/tmp/c && cmake --build build' >"$dir/made" 2>&1 ||
    { cat "$dir/made"; fail "a program in C does not build with libmobula-client-dev"; }
  for each in plain shared static; do
    token "$root/tmp/c/token"
    prints 'the player is at' "$within" "$root" "/tmp/c/$each" /tmp/c/token "127.0.0.1:$port"
  done
  ! "$within" "$root" ldd /tmp/c/static | grep mobula || fail "the static program loads the shared library"
}

python_wheel() {
  local root=$dir/python
  make_root "$root" python3-venv libstdc++6
  cp "$packages"/*.whl "$root/tmp"
  "$within" "$root" bash -ec 'python3 -m venv /tmp/venv && /tmp/venv/bin/pip -q install --no-index --no-compile /tmp/*.whl' \
    >"$dir/made" 2>&1 || { cat "$dir/made"; fail "pip does not install the wheel"; }
  cat >"$root/tmp/see.py" <<'PYTHON'
import sys
import mobula
with mobula.connect(admin=sys.argv[1], name="wheel") as client:
    for status in client:
        if client.player is not None:
            print("the player is at", client.player["Transform"].position, flush=True)
PYTHON
  prints 'the player is at' "$within" "$root" /tmp/venv/bin/python /tmp/see.py "$admin"
}

# The example in C# with the assembly and the library of the NuGet package. Mono looks in no folder of a runtime by itself.
nuget_package() {
  local root=$dir/mono
  make_root "$root" mono-runtime libmono-system-net-http4.0-cil libstdc++6
  mkdir "$root/tmp/nuget"
  python3 -m zipfile -e "$packages"/*.nupkg "$root/tmp/nuget"
  cp "$build/csharp/Example.exe" "$root/tmp/nuget/lib/netstandard2.1"
  cp "$dir/bare$home/share/mobula/demo_commands.bfbs" "$root/tmp"
  prints 'I am at' "$within" "$root" env LD_LIBRARY_PATH=/tmp/nuget/runtimes/linux-x64/native \
    mono /tmp/nuget/lib/netstandard2.1/Example.exe "$admin" /tmp/demo_commands.bfbs 1
}

# The example in C, compiled for Windows and run by wine.
windows_zip() {
  local windows=$dir/windows
  python3 -m zipfile -e "$packages"/*-windows-*.zip "$windows"
  windows=$(echo "$windows"/*)
  x86_64-w64-mingw32-gcc -std=c99 -I"$windows/include" "$tree/client/c/example.c" -L"$windows/lib" -lmobula-client \
    -o "$windows/bin/example.exe"
  token "$windows/bin/token"
  local -x WINEPREFIX=$dir/wine TMPDIR=$dir  # wine keeps a socket there
  (cd "$windows/bin" && WINEDEBUG=-all DISPLAY= prints 'the player is at' wine example.exe token "127.0.0.1:$port")
  wineserver -k || true
}

# README's game against mobula-dev: it is built, serves, and is mirrored by the client of the tarball.
development_package() {
  local root=$dir/developer
  stopped "$dir/log"
  install_packages "$root" "$packages"/mobula-dev_*.deb
  cp -r "$tree/server/examples/arena" "$root/tmp/arena"
  "$within" "$root" bash -ec 'cd /tmp/arena
    cmake -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug && cmake --build build --target arena' >"$dir/made" 2>&1 ||
    { cat "$dir/made"; fail "a game does not build with mobula-dev"; }
  started "$dir/log" "$within" "$root" /tmp/arena/build/arena
  joins "$dir/bare" "$home/bin/mobula-client"
  stopped "$dir/log"
}

# contents DIR: prints a hash of what each package of DIR contains, whatever its compression.
contents() {
  local each
  for each in "$1"/*.deb; do
    echo "${each##*/} $( (dpkg-deb --ctrl-tarfile "$each" && dpkg-deb --fsys-tarfile "$each") | sha256sum)"
  done
  for each in "$1"/*.tar.gz; do echo "${each##*/} $(gunzip -c "$each" | sha256sum)"; done
  for each in "$1"/*.{zip,whl,nupkg}; do
    echo "${each##*/} $(python3 -c '
import sys, zipfile
for each in (archive := zipfile.ZipFile(sys.argv[1])).infolist():
    print(each.filename, each.date_time, each.external_attr, archive.read(each))' "$each" | sha256sum)"
  done
}

# Another time zone, language, umask and time of making change no byte, and no package names the folder of the build.
same_bytes() {
  local named
  (umask 077 && TZ=Asia/Tokyo LC_ALL=C "$tree/cmake/package/package.sh" "$build" "$dir/again" 1 >/dev/null)
  diff <(contents "$packages") <(contents "$dir/again") || fail "the packages differ when they are made again"
  rm -r "$dir/again"
  named=$(grep -rlF "${build%/build/*}/" "$dir/bare/opt" "$dir/developer/usr/lib") || true
  [[ ! $named ]] || fail "these name the folder of the build: $named"
}

no_complaints() {
  TMPDIR=$dir lintian --allow-root --tag-display-limit 0 --fail-on error,warning "$packages"/*.deb
}

# check STEP [PACKAGE…]: runs a step; without its packages, which no build was made for, it is named as skipped.
check() {
  if (($# == 1)); then
    echo "skipped: $1"
  else
    $1
    echo "passed: $1"
  fi
}

check no_complaints "$packages"/*.deb
check server_package "$packages"/mobula-server_*.deb
check tarball "$packages"/*-linux-*.tar.gz
check client_packages "$packages"/libmobula-client*.deb
check python_wheel "$packages"/*.whl
check nuget_package "$packages"/*.nupkg
check windows_zip "$packages"/*-windows-*.zip
check development_package "$packages"/mobula-dev_*.deb
check same_bytes "$packages"/*
