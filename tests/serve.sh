# Function for scripts that need a server. Source this file.

# serve LOG COMMAND…: runs the server in the background and waits until it listens. Sets server (its process), port,
# tcp_port, admin and web (URLs; web is empty without a web address). admin is empty if the server did not start; LOG has the reason.
serve() {
  local log=$1 tries
  shift
  : >"$log"  # exists before the first read
  "$@" >>"$log" 2>&1 &
  server=$!
  for ((tries = 0; tries < 300; ++tries)); do
    if grep -q "admin address" "$log" || ! kill -0 "$server" 2>/dev/null; then break; fi
    sleep 0.1
  done
  port=$(sed -nE 's/.*listening on udp port ([0-9]+).*/\1/p' "$log")
  tcp_port=$(sed -nE 's/.*listening on tcp port ([0-9]+).*/\1/p' "$log")
  admin=$(sed -nE 's,.*admin address (http://[0-9.]+:[0-9]+).*,\1,p' "$log")
  web=$(sed -nE 's,.*web address (http://[0-9.]+:[0-9]+).*,\1,p' "$log")
}
