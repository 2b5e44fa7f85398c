#!/usr/bin/env bash
# Prints the settings file of the service: settings.sh MOBULA_SERVER
# It has every setting with its explanation. Those that keep their default are comments.
set -euo pipefail
env -i "$1" --level /usr/share/mobula/village.level --db /var/lib/mobula/world.db --print-config |
  sed -E 's/^([a-z_]+ = .*)  # default$/# \1/; s/^(# [a-z_]+ =)  # default$/\1/; s/  # --[a-z-]+$//'
