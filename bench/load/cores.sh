# Function for scripts that run server and bots on cores of their own. Source this file.

# on_core CORE COMMAND…: becomes the command, on that core if there are several.
on_core() {
  local core=$1
  shift
  if command -v taskset >/dev/null && taskset -c "$core" true 2>/dev/null; then exec taskset -c "$core" "$@"; fi
  exec "$@"
}
