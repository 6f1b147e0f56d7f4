#!/usr/bin/env bash
# Fuzzes what reads files, SECONDS_EACH long each (default 60): tables, expressions, journals.
# Needs clang++ 14 with libclang-rt-14-dev. Exits 1 on the first crash, hang or sanitizer finding.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
declare -A sources=(
  [csv]='src/base/csv.cpp'
  [expression]='src/sweep/expression.cpp src/sweep/evaluate.cpp src/sweep/lexer.cpp src/sweep/literal.cpp src/sweep/unit.cpp'
  [journal]='src/parallel/journal_frames.cpp src/base/digest.cpp'
)
for name in csv expression journal; do
  # shellcheck disable=SC2086
  clang++-14 -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Isrc \
    "tests/fuzz/${name}_fuzz.cpp" ${sources[$name]} -lxxhash -lfmt -o "$folder/$name"
  mkdir -p "$folder/corpus_$name"
  "$folder/$name" -max_total_time="$seconds" -timeout=5 -max_len=4096 -artifact_prefix="$folder/" \
    -seed=1 $([[ -f tests/fuzz/$name.dict ]] && echo "-dict=tests/fuzz/$name.dict") "$folder/corpus_$name" "tests/fuzz/corpus/$name" >"$folder/log" 2>&1 ||
    { tail -40 "$folder/log"; exit 1; }
  printf '%-11s %s\n' "$name" "$(grep -E '^Done' "$folder/log")"
done
