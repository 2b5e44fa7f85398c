#!/usr/bin/env bash
# Makes packages of what a release build contains: package.sh BUILD OUT [LEVEL]
# OUT receives Debian packages, a tarball, a Python wheel, a NuGet package, a Windows zip and SHA256SUMS. A package whose
# parts were not built is named and left out. The bytes depend on BUILD, SOURCE_DATE_EPOCH and LEVEL alone. LEVEL is that
# of compression, from 1 to 9 (6).
set -euo pipefail
shopt -s nullglob
[[ -f ${1:?usage: package.sh BUILD OUT [LEVEL]}/CMakeCache.txt ]] || { echo "package.sh: no build in $1" >&2; exit 1; }
BUILD=$(cd "$1" && pwd)
mkdir -p "$2"
goal=$(cd "$2" && pwd)
LEVEL=${3:-6}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=$(cd "$here/../.." && pwd)
VERSION=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$BUILD/CMakeCache.txt")
# The time of the last commit, if nothing else is given; without git that of the changes.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$SOURCE" log -1 --format=%ct 2>/dev/null ||
  stat -c %Y "$SOURCE/CHANGELOG.md")}
export LEVEL BUILD SOURCE VERSION SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022
machine=$(uname -m)
windows=$SOURCE/build/portability/mingw/build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
mkdir "$out"
source "$here/archives.sh"

debian_packages() {
  local dir=$work/mobula-$VERSION log=$work/debian.log
  mkdir "$dir"
  cp -r "$here/debian" "$dir"
  printf 'mobula (%s) bookworm; urgency=medium\n\n  * CHANGELOG.md lists the changes.\n\n -- %s  %s\n' "$VERSION" \
    "$(sed -n 's/^Maintainer: //p' "$dir/debian/control")" "$(date -R -d "@$SOURCE_DATE_EPOCH")" >"$dir/debian/changelog"
  (cd "$dir" && debian/rules binary) >"$log" 2>&1 || { cat "$log" >&2; return 1; }
  mv "$work"/*.deb "$out"
}

tarball() {
  local name=mobula-$VERSION-linux-$machine
  local dir=$work/$name each
  cmake --install "$BUILD" --prefix "$dir" >/dev/null
  strip "$dir"/bin/*
  strip --strip-debug -D "$dir"/lib/*.a
  bundle "$dir/lib/mobula" "$dir/share/doc/mobula/libraries" "$dir"/bin/*
  for each in "$dir"/bin/*; do patchelf --set-rpath '$ORIGIN/../lib/mobula' "$each"; done
  for each in "$dir"/lib/libmobula-client.so.0; do
    strip "$each"
    patchelf --set-rpath '$ORIGIN/mobula' "$each"
  done
  "$BUILD/bin/mobula-compile" "$SOURCE/server/examples/demo/level/village.json" -o "$dir/share/mobula/village.level" >/dev/null
  cp "$SOURCE/CHANGELOG.md" "$dir/share/doc/mobula"
  tar_of "$work" "$name" "$out/$name.tar.gz"
}

# The wheel serves any Python 3 on systems with this glibc or a newer one.
python_wheel() {
  local dir=$work/python tag
  [[ -f $SOURCE/client/python/pyproject.toml ]] || { echo "skipped: wheel (no client/python)"; return; }
  cp -r "$SOURCE/client/python" "$dir"
  cp "$SOURCE/LICENSE" "$dir"
  client_library "$dir/mobula" "$dir/mobula/libraries"
  tag=manylinux_$(getconf GNU_LIBC_VERSION | sed 's/.* //; s/\./_/')_$machine
  (cd "$dir" && /usr/bin/python3 -B - "$out" "--plat-name=$tag") >"$work/wheel.log" 2>&1 <<'PYTHON' ||
import sys
import setuptools.build_meta as backend
backend.build_wheel(sys.argv[1], {"--build-option": ["--python-tag=py3", sys.argv[2]]})
PYTHON
    { cat "$work/wheel.log" >&2; return 1; }
}

# A .nupkg is a zip with a list of its types and a relation to its .nuspec (OPC, ECMA-376 part 2).
nuget_package() {
  local dir=$work/nuget
  [[ -f $BUILD/csharp/Mobula.Client.dll ]] || { echo "skipped: NuGet package (no client/csharp in the build)"; return; }
  install -D -m 644 "$BUILD/csharp/Mobula.Client.dll" "$dir/lib/netstandard2.1/Mobula.Client.dll"
  client_library "$dir/runtimes/linux-x64/native" "$dir/libraries"
  mv "$dir/runtimes/linux-x64/native/libmobula-client.so"{.0,}
  if [[ -f $windows/bin/mobula-client.dll ]]; then
    windows_library "$dir/runtimes/win-x64/native" "$dir/libraries"
  fi
  cp "$SOURCE/LICENSE" "$dir"
  sed "/<files>/,/<\/files>/d; s,<version>.*</version>,<version>$VERSION</version>," \
    "$SOURCE/client/csharp/Mobula.Client.nuspec" >"$dir/Mobula.Client.nuspec"
  mkdir "$dir/_rels"
  cat >"$dir/_rels/.rels" <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Type="http://schemas.microsoft.com/packaging/2010/07/manifest" Target="/Mobula.Client.nuspec" Id="nuspec"/>
</Relationships>
XML
  nuget_types "$dir" >"$work/types"
  mv "$work/types" "$dir/[Content_Types].xml"
  zip_of "$dir" "$out/Mobula.Client.$VERSION.nupkg" .
}

# nuget_types DIR: prints the list of the types of DIR's files, by extension and, for those without one, by name.
nuget_types() {
  echo '<?xml version="1.0" encoding="utf-8"?>'
  echo '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
  echo '  <Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
  (cd "$1" && find . -type f ! -name .rels | sed -nE 's,.*/[^/]*\.([^./]+)$,\1,p' | sort -u) |
    sed 's,.*,  <Default Extension="&" ContentType="application/octet-stream"/>,'
  (cd "$1" && find . -type f ! -name '*.*' | sort) |
    sed 's,^\.\(.*\),  <Override PartName="\1" ContentType="application/octet-stream"/>,'
  echo '</Types>'
}

# The Windows build is that of ./dev portability.
windows_zip() {
  local name=mobula-client-$VERSION-windows-x86_64
  local dir=$work/$name
  [[ -f $windows/bin/mobula-client.dll ]] || { echo "skipped: Windows zip (no build in ${windows#"$SOURCE/"})"; return; }
  windows_library "$dir/bin" "$dir/libraries"
  install -D -m 644 -t "$dir/lib" "$windows"/lib/libmobula-client.dll.a
  install -D -m 644 -t "$dir/include" "$SOURCE/client/c/mobula_client.h"
  cp "$SOURCE/LICENSE" "$dir"
  zip_of "$work" "$out/$name.zip" "$name"
}

for each in debian_packages tarball python_wheel nuget_package windows_zip; do $each; done
cd "$out"
sha256sum -- * >"$work/sums"
mv "$work/sums" SHA256SUMS
cat SHA256SUMS
find "$goal" -mindepth 1 -delete  # packages made before stay until all are made anew
mv -t "$goal" -- *
