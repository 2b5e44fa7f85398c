#!/usr/bin/env bash
# Runs a command in a root, as the same process: within.sh ROOT COMMAND…   Its mounts end with it.
exec unshare --mount bash -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@"
