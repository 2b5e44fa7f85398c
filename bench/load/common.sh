# Shared by load tests of server and bots on cores of their own. Source this file with the script's usage and arguments:
# sets root, bin and out, and ends what runs in the background with the script.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage="usage: ${1:?}"
bin=$(cd "${2:?$usage}" && pwd)
mkdir -p "${3:?$usage}"
out=$(cd "$3" && pwd)
source "$root/tests/serve.sh"

server=   # process
proxy=    # process
others=() # further processes
connect=  # address of the server for bots
cleanup() {
  local each
  for each in "${others[@]}" $server $proxy; do kill -CONT "$each" 2>/dev/null && kill "$each" 2>/dev/null || true; done
  wait
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

die() {
  printf '%s: %s\n' "$(basename "$0" .sh)" "$*" >&2
  exit 1
}

# check_numbers NUMBER…: ends the script unless each can be a number of clients.
check_numbers() {
  local number
  for number; do
    [[ $number =~ ^[1-9][0-9]{0,4}$ ]] || {
      echo "$(basename "$0" .sh): '$number' is not a number of clients; $usage" >&2
      exit 2
    }
  done
}

# on_core CORE COMMAND…: becomes the command, on that core if there are several.
on_core() {
  local core=$1
  shift
  if command -v taskset >/dev/null && taskset -c "$core" true 2>/dev/null; then exec taskset -c "$core" "$@"; fi
  exec "$@"
}

# start_server LEVEL OPTION…: compiles the level and serves it on one core.
start_server() {
  "$bin/mobula-compile" "$1" -o "$out/served.level" >"$out/compile.log" ||
    die "the level is not compiled: $out/compile.log"
  shift
  serve "$out/server.log" on_core 0 "$bin/mobula-server" --level "$out/served.level" --port 0 --admin-port 0 \
    --log-format text "$@"
  [[ $admin ]] || die "the server did not start: $(cat "$out/server.log")"
  connect=127.0.0.1:$port
}
stop_server() {
  kill -TERM "$server"
  wait "$server" || die "the server ended with an error: $out/server.log"
  server=
}

# bots OPTION…: becomes bots of that server, on the other core.
bots() {
  on_core 1 "$bin/mobula-bots" --connect "$connect" --admin "$admin" "$@"
}
