#!/usr/bin/env bash
# Fits GPU kinds twice on the same made-up tables; the files must be equal to the byte, and name constants.
# usage: same_file.sh WRITE_KERNEL_TABLES ECHO_CALIBRATE [GPU...]
set -euo pipefail
write_tables=$1 calibrate=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$write_tables" "$folder/tables"
for gpu in "${@:-h100-sxm}"; do
  for round in first second; do
    "$calibrate" kernels --gpu "$gpu" --data "$folder/tables" --out "$folder/$round.toml" >"$folder/$round.txt"
  done
  grep -q '^gemm_rate_16' "$folder/first.toml"
  cmp "$folder/first.toml" "$folder/second.toml"
  cmp "$folder/first.txt" "$folder/second.txt"
done
