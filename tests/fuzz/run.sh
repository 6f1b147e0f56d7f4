#!/usr/bin/env bash
# Fuzzes what reads files, SECONDS_EACH long each (default 60): tables (any, of kernels, and of other measurements), expressions, journals,
# claims and locks, logs of nccl-tests, tables and traces of NVIDIA's profilers, traces of other tools and our own, plain and compressed,
# overlaps in them, datasets of overlaps, profiles, slowdown models, sweeps, launch files, files of the catalog, configs of Hugging Face models,
# topologies and flows, machines and algorithms of other simulators; and what prints text.
# Needs clang++ 14 with libclang-rt-14-dev and a few minutes to build. Exits 1 on the first crash, hang or sanitizer finding.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags='-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'

# The whole program under the fuzzer's eyes, of which each fuzzer links what it calls. -w: warnings are g++'s business.
cmake -S . -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=None -DECHO_TESTS=OFF \
  -DCMAKE_CXX_FLAGS="$flags -w" >"$folder/log" || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" --target echo_config echo_hugging_face echo_machine_files echo_trace_io echo_nsight echo_overlaps echo_packets echo_parallel echo_text >"$folder/log" || { tail -40 "$folder/log"; exit 1; }
libraries=()
while read -r module; do libraries+=("$folder/build/libecho_$module.a"); done < <(grep -oE '^[a-z_]+' src/layers.txt | tac |
  while read -r module; do [[ -f $folder/build/libecho_$module.a ]] && echo "$module"; done)

read -ra hdf5 <<<"$(pkg-config --libs hdf5) -lhdf5_hl"
for source in tests/fuzz/*_fuzz.cpp; do
  name=$(basename "$source" _fuzz.cpp)
  # shellcheck disable=SC2086
  clang++-14 -std=c++20 $flags -fsanitize=fuzzer -w -DECHO_SOURCE_DIR="\"$PWD\"" -Isrc -I. -I"$folder/build/generated" -isystem "$folder/build/generated_messages" "$source" \
    tests/support/source_dir.cpp \
    "${libraries[@]}" -ltomlplusplus -lyaml-cpp -lxxhash -lfmt -lboost_serialization -lsqlite3 -lprotobuf -lz "${hdf5[@]}" -o "$folder/$name"
  mkdir -p "$folder/corpus_$name"
  corpora=("$folder/corpus_$name")
  [[ -d tests/fuzz/corpus/$name ]] && corpora+=("tests/fuzz/corpus/$name")
  dictionary=()
  [[ -f tests/fuzz/$name.dict ]] && dictionary=(-dict="tests/fuzz/$name.dict")
  TMPDIR=$folder "$folder/$name" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2000 -max_len=4096 -seed=1 "${dictionary[@]}" \
    -artifact_prefix="$folder/" "${corpora[@]}" >"$folder/log" 2>&1 ||
    { tail -40 "$folder/log"; exit 1; }
  printf '%-11s %s\n' "$name" "$(grep -E '^Done' "$folder/log")"
done
