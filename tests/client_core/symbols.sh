#!/usr/bin/env bash
# Checks that archives of the client core use no threads, files or foreign libraries: symbols.sh [--no-exceptions] ARCHIVE…
# Prints each wrong undefined symbol as archive: library: symbol. Status 1 if there is one, 2 if an
# archive cannot be read. With --no-exceptions the archives throw nothing either.
set -euo pipefail

# A name, then a pattern of demangled symbols, from their beginning.
forbidden='
Boost boost::
OpenSSL (SSL|EVP|CRYPTO|BIO|X509)_
spdlog spdlog::
CLI11 CLI::
FlatBuffers flatbuffers::
threads (std::(__1::)?(thread|(recursive_|timed_|shared_)?mutex|condition_variable|this_thread|__future_base|async)|pthread_(create|mutex_|cond_|join|rwlock_))
files ((fopen|freopen|fdopen|open|openat|creat|mkstemp)(64)?$|mmap|std::(__1::|__fs::)?filesystem::|std::(__1::)?basic_(i|o)?(fstream|filebuf|ifstream|ofstream)<)
streams std::(__1::)?(cin|cout|cerr|clog|ios_base::Init)
sockets (socket|bind|connect|recvfrom|recvmsg|sendto|sendmsg|poll|select|epoll_wait|getaddrinfo)$
randomness (std::(__1::)?random_device|getrandom$|rand$|srand$)
'
# Log lines have times, and a schedule measures its systems. Nothing else reads a clock.
clocks='clocks (std::(__1::)?chrono::.*::now\(\)|clock_gettime|gettimeofday|time$)'

if [[ ${1:-} == --no-exceptions ]]; then
  forbidden+='exceptions __cxa_(throw|rethrow|allocate_exception)'
  shift
fi
((${#} > 0)) || { echo "usage: symbols.sh [--no-exceptions] ARCHIVE…" >&2; exit 2; }

found=0
for archive in "$@"; do
  symbols=$(nm --demangle --undefined-only "$archive") || exit 2
  table=$forbidden
  [[ $archive == *mobula_core.a || $archive == *mobula_ecs.a ]] || table+=$'\n'$clocks
  while read -r library pattern; do
    [[ $library ]] || continue
    while read -r symbol; do
      [[ $symbol ]] || continue
      printf '%s: %s: %s\n' "${archive##*/}" "$library" "$symbol"
      found=1
    done < <(sed -nE "s,^ +U ($pattern),\1,p" <<<"$symbols" | sort -u)
  done <<<"$table"
done
exit $found
