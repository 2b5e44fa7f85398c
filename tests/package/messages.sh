#!/usr/bin/env bash
# Checks that the messages in the headings of docs/faq.md exist in the programs: messages.sh ROOT
# For a heading "### `text … text`" each text around "…" must occur in a source. Adjacent string literals count as one.
set -euo pipefail
cd "${1:?usage: messages.sh ROOT}"
sources=$(find shared server client -name '*.cpp' -o -name '*.hpp' | sort | xargs cat | tr '\n' ' ' |
  sed -E 's/" +"//g; s/\\"/"/g; s/\{[0-9]?(:[^}]*)?\}/{}/g')
missing=0
while IFS= read -r message; do
  while IFS= read -r part; do
    [[ ${#part} -lt 3 || $sources == *"$part"* ]] || { echo "docs/faq.md: no source contains '$part'"; missing=1; }
  done < <(sed 's/…/\n/g' <<<"$message")
done < <(sed -nE 's/^### `([^`]*)`$/\1/p' docs/faq.md)
exit $missing
