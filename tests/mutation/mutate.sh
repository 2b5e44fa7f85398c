#!/usr/bin/env bash
# Applies mutations to the product, one at a time, and checks that tests catch them: tests/mutation/mutate.sh [NAME…]
# With --check it only checks that names differ, that the old text of each mutation exists, and that README.md has its row.
# With --table it only writes the rows of the list, with the outcomes that README.md has.
# mutations.txt lists the mutations and their tests. They are applied to a copy of the tree, build/mutation/tree, which
# stays there, so that the next run builds only the differences. Writes the results to README.md. Status 0 only if all
# were caught.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
list=$root/tests/mutation/mutations.txt
table=$root/tests/mutation/README.md
tree=$root/build/mutation/tree
build=$tree/build/mutation
log=$root/build/mutation/log
seconds_max=300  # a run that takes longer counts as caught
export CCACHE_BASEDIR=$tree CCACHE_NOHASHDIR=1

say() { if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi; }
die() {
  printf 'mutate: %s\n' "$*" >&2
  exit 1
}

# --- The list --------------------------------------------------------------------------------------------------------

names=() effects=() files=() olds=() news=() catchers=()

# Consecutive lines of old and of new text are joined.
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
        names+=("${line%%: *}") effects+=("${line#*: }") files+=('') olds+=('') news+=('') catchers+=('')
        ;;
      *) die "mutations.txt: not understood: $line" ;;
    esac
  done <"$list"
}

# Fails if a name occurs twice, or if an old text is missing or occurs twice.
check_list() {
  local at content rest twice wrong=0
  twice=$(printf '%s\n' "${names[@]}" | sort | uniq -d | paste -sd ' ')
  [[ ! $twice ]] || die "mutations.txt: names that occur twice: $twice"
  for at in "${!names[@]}"; do
    [[ -f $root/${files[at]} && ${olds[at]} && ${catchers[at]} ]] || die "${names[at]}: is incomplete, or its file is missing"
    content=$(<"$root/${files[at]}")
    rest=${content//"${olds[at]}"/}
    (((${#content} - ${#rest}) / ${#olds[at]} == 1)) && continue
    printf '%s: its old text does not occur exactly once in %s\n' "${names[at]}" "${files[at]}" >&2
    wrong=1
  done
  ((!wrong)) || die "mutations.txt does not match this tree"
}

# The beginning of a mutation's row in the table. An outcome follows.
# shellcheck disable=SC2016  # Markdown's
row_of() { printf '| %s | %s | `%s` |' "${names[$1]}" "${effects[$1]}" "${catchers[$1]}"; }

# Fails unless the table has the rows of all mutations, in their order, and no others.
check_table() {
  local at rows
  mapfile -t rows < <(grep '^| ' "$table" | tail -n +2)
  for at in "${!names[@]}"; do
    [[ ${rows[at]-} == "$(row_of "$at")"* ]] ||
      die "README.md does not have the row of ${names[at]} in its place; ./dev mutate ${names[at]} writes it"
  done
  ((${#rows[@]} == ${#names[@]})) || die "README.md has $((${#rows[@]} - ${#names[@]})) rows of other mutations at its end"
}

# Sets `chosen` to the named mutations, or to all.
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

# Unchanged files keep their time, so that they are not built again.
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
restore_copy() { cp "$root/${files[$1]}" "$tree/${files[$1]}"; }

build_for() { cmake --build "$build" -j "$(nproc)" --target "${catchers[$1]%% *}" >"$log" 2>&1; }

# --- Catching --------------------------------------------------------------------------------------------------------

# Runs a program of the build with its arguments. Its output goes to the log.
run() {
  local words
  read -ra words <<<"$1"
  [[ ${words[0]} != mobula-sim ]] || words+=(--no-shrink --trace /dev/null)
  timeout -k 5 $seconds_max "$build/bin/${words[0]}" "${words[@]:1}" >"$log" 2>&1
}

# Prints how a run failed: the test or seed, a tab, the message.
describe() {
  local by message
  by=$(sed -nE 's/^again: .*--seed ([0-9]+).*/seed \1/p; s/^WRONG at tick ([1-9][0-9]*).*/tick \1/p' "$log" | sort | paste -sd ' ')
  [[ $by ]] || by=$(sed -nE 's/^\[  FAILED  \] ([^ ,]+).*/\1/p' "$log" | head -n 1)
  [[ $by ]] || by=$(sed -nE 's/^\[ RUN      \] ([^ ]+).*/\1/p' "$log" | tail -n 1)  # the process ended within this test
  message=$(sed -nE 's|/[^ ]*/mobula\.[^/]*/||g; s/^.*: assert failed: //p; s/^WRONG at tick [0-9]+: //p' "$log" | head -n 1)
  (($1 != 124 && $1 != 137)) || message="did not end within $seconds_max s"
  printf '%s\t%s' "$by" "$message"
}

# Checks that all tests pass on the unmodified product; else a failure would prove nothing.
check_catchers() {
  local at catcher programs
  mapfile -t programs < <(for at in "${chosen[@]}"; do echo "${catchers[at]%% *}"; done | sort -u)
  "$tree/dev" build mutation "${programs[@]}"
  say "Running the tests on the unmodified product"
  while IFS= read -r catcher; do
    run "$catcher" || die "fails on the unmodified product: $catcher, see ${log#"$root"/}"
    echo "passes: $catcher"
  done < <(for at in "${chosen[@]}"; do echo "${catchers[at]}"; done | sort -u)
}

# Tries one mutation. Sets `result` to the output of describe(). Empty if the mutation survived or was not built.
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
  restore_copy "$1"
  case $status in
    0) printf '%s: SURVIVED %s\n' "${names[$1]}" "${catchers[$1]}" ;;
    unbuilt) printf '%s: CANNOT BE BUILT: %s\n' "${names[$1]}" "$(grep -m 1 'error:' "$log")" ;;
    *) printf '%s: caught by %s: %s\n' "${names[$1]}" "${catchers[$1]%% *}" "${result/$'\t'/: }" ;;
  esac
}

# A mutation that was not tried now keeps its row, unless its name, effect or command has changed.
write_table() {
  local at result row message
  cat <<'TEXT'
# Mutations and the tests that catch them

[mutations.txt](mutations.txt) breaks the product in many ways, each in one place. `./dev mutate` applies them one by one to a
copy of the tree and writes this table. Tests catch a mutation by name. `mobula-sim` catches it by a seed, at a tick of its
clock or by a failed assertion.

| mutation | effect | command | caught by | message |
|---|---|---|---|---|
TEXT
  for at in "${!names[@]}"; do
    row=$(row_of "$at")
    result=${results[at]-$(grep -F -m 1 "$row" "$table" || echo "$row not tried yet | |")}
    case $result in
      "$row"*) echo "$result" ;;
      '') echo "$row **nothing** | |" ;;
      *)
        result=${result//'|'/'\|'}
        message=${result#*$'\t'}
        echo "$row ${result%%$'\t'*} | ${message:+\`${message//\`/\'}\`} |"
        ;;
    esac
  done
}

chosen=() results=() survived=0
read_list
check_list
case ${1:-} in
  --check)
    check_table
    exit 0
    ;;
  --table)
    rows=$(write_table)
    printf '%s\n' "$rows" >"$table"
    exit 0
    ;;
esac
choose "$@"
copy_tree
check_catchers
say "Applying ${#chosen[@]} mutations"
trap 'write_table >"$log" && cp "$log" "$table"' EXIT  # after an interrupted run too
for at in "${chosen[@]}"; do
  try "$at"
  results[at]=$result
  [[ $result ]] || survived=$((survived + 1))
done
((!survived)) || die "$survived of ${#chosen[@]} survived"
say "All ${#chosen[@]} were caught."
