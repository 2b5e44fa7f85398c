# Functions that make archives. Source this file. Same files, same bytes: names are sorted, and times and owners fixed.

# tar_of DIR NAME ARCHIVE: makes a .tar.gz of DIR/NAME.
tar_of() {
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s -c "$2" |
    gzip -"$LEVEL" -n >"$3"
}

# zip_of DIR ARCHIVE NAME…: makes a .zip of files and folders in DIR.
zip_of() {
  find "$1" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$1" && find "${@:3}" -type f | sort | zip -"$LEVEL" -Xq - -@) >"$2"
}

# bundle LIB LICENCES FILE…: copies the libraries that programs or libraries load to LIB, and their licences to LICENCES.
# The libraries of C and C++ are the system's. Those of LIB find each other there.
bundle() {
  local lib=$1 licences=$2 file package
  mkdir -p "$lib" "$licences"
  ldd "${@:3}" | awk '$2 == "=>" { print $3 }' | sort -u | while read -r file; do
    case ${file##*/} in libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.*) continue ;; esac
    install -m 644 "$file" "$lib"
    patchelf --set-rpath '$ORIGIN' "$lib/${file##*/}"
    # One of the two paths is known.
    package=$(dpkg-query -S "$(realpath "$file")" "$file" 2>/dev/null | sed -n '1s/:.*//p') || true
    [[ $package ]] || { echo "package.sh: no package has $file, so its licence is unknown" >&2; return 1; }
    install -m 644 "/usr/share/doc/$package/copyright" "$licences/$package"
  done
}

# client_library LIB LICENCES: puts the client library into LIB, under the name that programs load, with what it loads.
client_library() {
  install -D -m 644 "$BUILD/lib/libmobula-client.so.0" "$1/libmobula-client.so.0"
  strip "$1/libmobula-client.so.0"
  bundle "$1" "$2" "$1/libmobula-client.so.0"
  patchelf --set-rpath '$ORIGIN' "$1/libmobula-client.so.0"
}

# windows_library DIR LICENCES: puts the DLL of a Windows build into DIR, and the licences of what it contains to LICENCES.
windows_library() {
  local package
  install -D -m 644 -t "$1" "$windows/bin/mobula-client.dll"
  x86_64-w64-mingw32-strip --preserve-dates "$1/mobula-client.dll"
  mkdir -p "$2"
  for package in libsodium-dev libfmt-dev libxxhash-dev libflatbuffers-dev nlohmann-json3-dev mingw-w64-x86-64-dev; do
    install -m 644 "/usr/share/doc/$package/copyright" "$2/$package"
  done
}
