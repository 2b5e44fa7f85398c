#!/usr/bin/env bash
# Makes the libraries that a platform's build needs and Debian has no binary of: libraries.sh PLATFORM PREFIX [LIBRARY…]
# They are built from Debian's own source packages. Each is built once; remove PREFIX to build all again.
set -euo pipefail
platform=${1:?usage: libraries.sh PLATFORM PREFIX [LIBRARY…]}
prefix=$(realpath -m "${2:?usage: libraries.sh PLATFORM PREFIX [LIBRARY…]}")
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
downloads=$tree/build/portability/sources
work=$prefix/build
jobs=$(nproc)
declare -A host=([mingw]=x86_64-w64-mingw32 [arm64]=aarch64-linux-gnu)
declare -A compiler=([mingw]=x86_64-w64-mingw32-gcc-posix [arm64]=aarch64-linux-gnu-gcc)
declare -A toolchain=([mingw]=x86_64-w64-mingw32 [arm64]=aarch64-linux-gnu [libcxx]=libcxx)
ccache=$(command -v ccache || true)

# apt's options for lists of source packages of our own, beside the machine's, which has binary packages alone.
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$downloads/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$downloads/lists" -o Dir::Cache="$downloads/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}

# Derives the source packages' archives from those that the machine has its binary packages from. Debian's security
# archive comes last: apt takes a version from the first that has it, and some mirrors have not all of that one's files.
list_sources() {
  mkdir -p "$downloads/lists/partial" "$downloads/cache/archives/partial"
  apt-get indextargets --format '$(SIGNED_BY)|$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    sed -E 's/^[^|]*\$[^|]*\|/|/; s/^\|/deb-src /; s/^([^|]+)\|/deb-src [signed-by=\1] /' | sort -u |
    awk '/-security / { last = last $0 "\n"; next } { print } END { printf "%s", last }' >"$downloads/sources.list"
  [[ -s $downloads/sources.list ]] || { echo "libraries.sh: apt knows no archive of Debian; run apt-get update" >&2; exit 1; }
  apt update </dev/null
}

# source_of PACKAGE: sets `source` to the unpacked source package, with Debian's patches.
source_of() {
  source=$downloads/$1
  [[ ! -d $source ]] || return 0
  [[ -s $downloads/sources.list ]] || list_sources
  rm -rf "$downloads/unpacked"
  mkdir "$downloads/unpacked"
  (cd "$downloads/unpacked" && apt source "$1" </dev/null >/dev/null)
  mv "$downloads/unpacked/"*/ "$source"
  rm -rf "$downloads/unpacked"
}

# with_cmake SOURCE OPTION…
with_cmake() {
  cmake -S "$1" -B "$work" -G Ninja --log-level=ERROR -DCMAKE_TOOLCHAIN_FILE="$tree/cmake/toolchains/${toolchain[$platform]}.cmake" \
    -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS_RELEASE=-O1 -DCMAKE_CXX_STANDARD=20 -DBUILD_SHARED_LIBS=OFF -Wno-dev \
    -DCMAKE_C_COMPILER_LAUNCHER="$ccache" -DCMAKE_CXX_COMPILER_LAUNCHER="$ccache" "${@:2}" >/dev/null
  cmake --build "$work" -j "$jobs" --target install >/dev/null
}

make_googletest() { with_cmake /usr/src/googletest; }  # where the package googletest puts its source

make_libsodium() {
  source_of libsodium
  cp -r "$source" "$work"
  cd "$work"
  {
    autoreconf -fi
    ./configure --host="${host[$platform]}" --prefix="$prefix" --disable-shared --disable-dependency-tracking \
      CC="$ccache ${compiler[$platform]}" CFLAGS=-O2
    make -j "$jobs" install
  } >"$prefix/libsodium.log" 2>&1 || { tail -n 30 "$prefix/libsodium.log" >&2; exit 1; }
  cd "$tree"
}

make_fmt() {
  source_of fmtlib
  with_cmake "$source" -DFMT_DOC=OFF -DFMT_TEST=OFF
}

make_spdlog() {
  source_of spdlog
  with_cmake "$source" -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
}

make_nlohmann-json() {
  source_of nlohmann-json3
  with_cmake "$source" -DJSON_BuildTests=OFF
}

make_flatbuffers() {
  source_of flatbuffers
  with_cmake "$source" -DFLATBUFFERS_BUILD_TESTS=OFF -DFLATBUFFERS_BUILD_FLATC=OFF -DFLATBUFFERS_BUILD_FLATHASH=OFF
}

make_prometheus-cpp() {
  source_of prometheus-cpp
  with_cmake "$source" -DENABLE_PUSH=OFF -DENABLE_PULL=OFF -DENABLE_COMPRESSION=OFF -DENABLE_TESTING=OFF
}

# Libraries that consist of headers, which are the same on every machine.
make_headers() {
  mkdir -p "$prefix/include"
  local each
  for each in flatbuffers fast_float fmt nlohmann rapidjson xxhash.h xxh3.h; do
    ln -sfn "/usr/include/$each" "$prefix/include/$each"
  done
}

for library in "${@:3}"; do
  [[ ! -e $prefix/made/$library ]] || continue
  echo "Building $library for $platform"
  rm -rf "$work"
  mkdir -p "$prefix/made"
  "make_$library"
  rm -rf "$work"
  touch "$prefix/made/$library"
done
