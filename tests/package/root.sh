# Functions that make empty roots for packages. Source this file. They need the rights of root.
within=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/within.sh

# dependencies DEB…: prints the names in the dependencies of Debian packages, except those of the packages themselves.
dependencies() {
  local deb
  for deb in "$@"; do dpkg-deb -f "$deb" Depends Pre-Depends; done |
    sed -E 's/^[A-Za-z-]+: //' | tr ',|' '\n' | sed -E 's/\(.*//; s/:any//; s/ //g' | sort -u |
    grep -vxF "$(for deb in "$@"; do dpkg-deb -f "$deb" Package; done)"
}

# installed NAME…: prints the installed packages of these names, and those that provide the names.
installed() {
  dpkg-query -Wf '${db:Status-Status}\t${Package}\t${Provides}\n' |
    awk -F '\t' -v wanted="$*" 'BEGIN { split(wanted, names, " "); for (i in names) want[names[i]] }
      $1 == "installed" { count = split($2 ", " $3, names, ", "); for (i = 1; i <= count; ++i) { sub(/ .*/, "", names[i])
                          if (names[i] in want) { print $2; break } } }'
}

# make_root ROOT PACKAGE…: fills ROOT with installed packages of this machine, what they depend on, and the essential
# ones, with dpkg's records of them. So dpkg in ROOT sees a system on which nothing else was ever installed.
make_root() {
  local root=$1 info=/var/lib/dpkg/info each
  local packages
  packages=$(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances $(installed "${@:2}") $(dpkg-query -Wf '${Essential} ${Package}\n' | sed -n 's/^yes //p') |
    grep -E '^[a-z0-9]' | sort -u)
  # Its status is 1 for alternatives that are not installed.
  packages=$(dpkg-query -Wf '${db:Status-Status} ${binary:Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p') || true
  mkdir -p "$root"/{dev,proc,tmp,usr/{bin,sbin,lib,lib64},var/lib/dpkg/{info,triggers,updates}}
  for each in bin sbin lib lib64; do ln -s usr/$each "$root/$each"; done
  dpkg-query -L $packages | grep -E '^/.' | grep -vE '^/usr/share/(doc|man|locale|info)/' | sort -u |
    tar -C / --ignore-failed-read --warning=no-failed-read --no-recursion -c -T <(sed 's,^/,,' /dev/stdin) 2>/dev/null |
    tar -C "$root" --keep-directory-symlink -x
  dpkg-query -s $packages >"$root/var/lib/dpkg/status"
  for each in $packages; do cp -t "$root/var/lib/dpkg/info" $info/"$each".*; done
  cp /var/lib/dpkg/info/format "$root/var/lib/dpkg/info"
  cp /var/lib/dpkg/triggers/ldconfig "$root/var/lib/dpkg/triggers"
  : >"$root/var/lib/dpkg/triggers/File"
  cp /usr/share/base-passwd/passwd.master "$root/etc/passwd"
  cp /usr/share/base-passwd/group.master "$root/etc/group"
  chmod 1777 "$root/tmp"
}

# install_packages ROOT DEB…: installs Debian packages in a root by its own dpkg.
install_packages() {
  cp -t "$1/tmp" "${@:2}"
  "$within" "$1" dpkg -i $(basename -a "${@:2}" | sed 's,^,/tmp/,') >"$1/tmp/dpkg.log" 2>&1 ||
    { cat "$1/tmp/dpkg.log" >&2; return 1; }
}
