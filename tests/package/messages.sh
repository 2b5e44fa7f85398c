#!/usr/bin/env bash
# The messages in the headings of docs/faq.md are messages of the programs: messages.sh ROOT
# A heading "### `text … text`" promises that each text around "…" stands in a source. Texts of one message that stand in
# several literals are read as one.
set -euo pipefail
cd "${1:?usage: messages.sh ROOT}"
sources=$(find shared server client -name '*.cpp' -o -name '*.hpp' | sort | xargs cat | tr '\n' ' ' |
  sed -E 's/" +"//g; s/\\"/"/g; s/\{[0-9]?(:[^}]*)?\}/{}/g')
missing=0
while IFS= read -r message; do
  while IFS= read -r part; do
    [[ ${#part} -lt 3 || $sources == *"$part"* ]] || { echo "docs/faq.md: no source says '$part'"; missing=1; }
  done < <(sed 's/…/\n/g' <<<"$message")
done < <(sed -nE 's/^### `([^`]*)`$/\1/p' docs/faq.md)
exit $missing
