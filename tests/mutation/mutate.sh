#!/usr/bin/env bash
# Breaks the product on purpose, one mutation at a time, and looks whether that is caught: tests/mutation/mutate.sh [NAME…]
# With --check it only looks whether what each is to break is there.
# mutations.txt says what is broken, and what is to catch it. The tree itself is left alone: what is broken is a copy of
# it, build/mutation/tree, which stays there, so that the next run builds only what differs. README.md is given what caught
# those that were tried. Status 0 only if all were caught.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$root/tests/mutation/mutations.txt
table=$root/tests/mutation/README.md
tree=$root/build/mutation/tree
build=$tree/build/mutation
log=$root/build/mutation/log
seconds_max=300  # whatever does not end within them has been caught too
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'mutate: %s\n' "$*" >&2
  exit 1
}

# --- The list --------------------------------------------------------------------------------------------------------

names=() abouts=() files=() olds=() news=() catchers=()

# Lines of old and of new text are joined as they stand.
read_list() {
  local line at=-1
  while IFS= read -r line; do
    case $line in
      '' | '#'*) ;;
      'in '*) files[at]=${line#in } ;;
      'by '*) catchers[at]=${line#by } ;;
      '- '*) olds[at]+=${olds[at]:+$'\n'}${line#- } ;;
      '+ '*) news[at]+=${news[at]:+$'\n'}${line#+ } ;;
      *': '*)
        at=${#names[@]}
        names+=("${line%%: *}") abouts+=("${line#*: }") files+=('') olds+=('') news+=('') catchers+=('')
        ;;
      *) die "mutations.txt: not understood: $line" ;;
    esac
  done <"$list"
}

# A text that is not there, or twice, is no mutation any more.
check_list() {
  local at content rest wrong=0
  for at in "${!names[@]}"; do
    [[ -f $root/${files[at]} && ${olds[at]} && ${catchers[at]} ]] || die "${names[at]}: says not all, or of no file"
    content=$(<"$root/${files[at]}")
    rest=${content//"${olds[at]}"/}
    (((${#content} - ${#rest}) / ${#olds[at]} == 1)) && continue
    printf '%s: its old text is not once in %s\n' "${names[at]}" "${files[at]}" >&2
    wrong=1
  done
  ((!wrong)) || die "mutations.txt is not of this tree"
}

# Of those that were asked for.
choose() {
  local at name
  (($#)) || chosen=("${!names[@]}")
  for name in "$@"; do
    for at in "${!names[@]}"; do [[ ${names[at]} != "$name" ]] || break; done
    [[ ${names[at]} == "$name" ]] || die "there is no mutation '$name' in mutations.txt"
    chosen+=("$at")
  done
}

# --- The copy --------------------------------------------------------------------------------------------------------

# What is the same keeps its time, and is not built again.
copy_tree() {
  local file
  mkdir -p "$tree"
  cd "$root"
  while IFS= read -r -d '' file; do
    [[ ! -e $file ]] || cmp -s "$file" "$tree/$file" || cp --parents "$file" "$tree"
  done < <(git ls-files -z --cached --others --exclude-standard)
  while IFS= read -r -d '' file; do
    [[ -e $file ]] || rm "$tree/$file"
  done < <(cd "$tree" && find . -path ./build -prune -o -type f -print0)
}

break_copy() {
  local content
  content=$(<"$root/${files[$1]}")
  printf '%s\n' "${content/"${olds[$1]}"/"${news[$1]}"}" >"$tree/${files[$1]}"
}
mend_copy() { cp "$root/${files[$1]}" "$tree/${files[$1]}"; }

build_for() { cmake --build "$build" -j "$(nproc)" --target "${catchers[$1]%% *}" >"$log" 2>&1; }

# --- Catching --------------------------------------------------------------------------------------------------------

# A program of the build, as the list calls it; all it says is in the log.
run() {
  local words
  read -ra words <<<"$1"
  [[ ${words[0]} != mobula-sim ]] || words+=(--no-shrink --trace /dev/null)
  timeout -k 5 $seconds_max "$build/bin/${words[0]}" "${words[@]:1}" >"$log" 2>&1
}

# Of a run that failed with a status: by which test or seed, a tab, and what was wrong.
describe() {
  local by said
  by=$(sed -nE 's/^again: .*--seed ([0-9]+).*/seed \1/p; s/^WRONG at tick ([1-9][0-9]*).*/tick \1/p' "$log" | sort | paste -sd ' ')
  [[ $by ]] || by=$(sed -nE 's/^\[  FAILED  \] ([^ ,]+).*/\1/p' "$log" | head -n 1)
  [[ $by ]] || by=$(sed -nE 's/^\[ RUN      \] ([^ ]+).*/\1/p' "$log" | tail -n 1)  # it ended in the middle of that
  said=$(sed -nE 's|/[^ ]*/mobula\.[^/]*/||g; s/^.*: assert failed: //p; s/^WRONG at tick [0-9]+: //p' "$log" | head -n 1)
  (($1 != 124 && $1 != 137)) || said="did not end within $seconds_max s"
  printf '%s\t%s' "$by" "$said"
}

# All that is to catch something passes while nothing is broken: else it would prove nothing.
check_catchers() {
  local at catcher programs
  mapfile -t programs < <(for at in "${chosen[@]}"; do echo "${catchers[at]%% *}"; done | sort -u)
  "$tree/dev" build mutation "${programs[@]}"
  say "Nothing is broken yet"
  while IFS= read -r catcher; do
    run "$catcher" || die "fails though nothing is broken: $catcher, see ${log#"$root"/}"
    echo "passes: $catcher"
  done < <(for at in "${chosen[@]}"; do echo "${catchers[at]}"; done | sort -u)
}

# Sets `result`: how it was caught, as describe() says it; empty: it was not. What cannot be built proves nothing.
try() {
  local status=0
  result=
  break_copy "$1"
  if build_for "$1"; then
    run "${catchers[$1]}" || status=$?
    ((!status)) || result=$(describe $status)
  else
    status=unbuilt
  fi
  mend_copy "$1"
  case $status in
    0) printf '%s: SURVIVED %s\n' "${names[$1]}" "${catchers[$1]}" ;;
    unbuilt) printf '%s: CANNOT BE BUILT: %s\n' "${names[$1]}" "$(grep -m 1 'error:' "$log")" ;;
    *) printf '%s: caught by %s: %s\n' "${names[$1]}" "${catchers[$1]%% *}" "${result/$'\t'/: }" ;;
  esac
}

# What was not tried now keeps its row, as long as it is to be caught by the same.
write_table() {
  local at result row
  cat <<'TEXT'
# What is broken, and what catches it

[mutations.txt](mutations.txt) breaks the product in as many ways as a colleague might, each in one place. `./dev mutate`
tries them one by one in a copy of the tree, and wrote this table. `mobula-sim` catches by a seed, and then at a tick of its
clock or by an assertion that ends the server; tests catch by name, as these are sentences.

| mutation | what it breaks | to catch it | caught by | which said |
|---|---|---|---|---|
TEXT
  for at in "${!names[@]}"; do
    # shellcheck disable=SC2016  # Markdown's
    printf -v row '| %s | %s | `%s` |' "${names[at]}" "${abouts[at]}" "${catchers[at]}"
    result=${results[at]-$(grep -F -m 1 "$row" "$table" || echo "$row not tried yet | |")}
    case $result in
      "$row"*) echo "$result" ;;
      '') echo "$row **nothing** | |" ;;
      *)
        result=${result//'|'/'\|'}
        echo "$row ${result%%$'\t'*} | ${result#*$'\t'} |"
        ;;
    esac
  done
}

chosen=() results=() survived=0
read_list
check_list
[[ ${1:-} != --check ]] || exit 0
choose "$@"
copy_tree
check_catchers
say "Breaking it in ${#chosen[@]} ways"
for at in "${chosen[@]}"; do
  try "$at"
  results[at]=$result
  [[ $result ]] || survived=$((survived + 1))
done
write_table >"$log" && cp "$log" "$table"
((!survived)) || die "$survived of ${#chosen[@]} survived"
say "All ${#chosen[@]} were caught."
