#!/usr/bin/env bash
# The program itself on a tiny sweep: one digest for 1, 2, 3 and 8 workers, however it came about, and errors that stop all workers at once.
# usage: end_to_end.sh ECHO_SWEEP SWEEP.toml
set -euo pipefail
program=$(realpath "$1") sweep=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpi_environment.sh"

digest() { sed -n 's/^rows_digest \([0-9a-f]*\).*/\1/p' out; }

reference=
for workers in 1 2 3 8; do
  timeout 120 mpirun -n $workers "$program" "$sweep" -o n$workers.h5 >out 2>err || { cat out err; fail "exit $?"; }
  [[ $(digest) =~ ^[0-9a-f]{32}$ ]] || { cat out; fail "no digest printed"; }
  reference=${reference:-$(digest)}
  [[ $(digest) == "$reference" ]] || fail "another digest on $workers workers: $(digest), not $reference"
  [[ $(h5dump -a /rows_digest n$workers.h5) == *"$reference"* ]] || fail "the file names another digest"
done
# A process that no launcher started starts no MPI: one that cannot start does not matter.
OMPI_MCA_pml=no_such_layer timeout 60 "$program" "$sweep" -o alone.h5 >out 2>err || fail "without mpirun: exit $?"
[[ $(digest) == "$reference" ]] || fail "another digest without mpirun"
timeout 60 mpirun -n 2 "$program" "$sweep" -o n2.h5 >out 2>err || fail "relaunch over a complete file: exit $?"
grep -qi complete out err || fail "a relaunch does not say that the file is complete"

# In pieces: the first points and then all; a smaller space and then this one; two shards and their union.
timeout 60 "$program" "$sweep" -o limited.h5 --limit 100 >out 2>err || [[ $? == 3 ]] || fail "--limit: exit $?"
timeout 60 mpirun -n 3 "$program" "$sweep" -o limited.h5 >out 2>err || { cat err; fail "after --limit: exit $?"; }
[[ $(digest) == "$reference" ]] || fail "another digest after --limit"
timeout 60 "$program" "$sweep" -o grown.h5 --set 'space.micro_batch=[1,4]' >out 2>err || fail "smaller space: exit $?"
code=0
timeout 60 "$program" "$sweep" -o grown.h5 >out 2>err || code=$?
[[ $code == 5 ]] && grep -q 'the space changed' err || { cat err; fail "a changed space is not refused: $code"; }
timeout 60 mpirun -n 2 "$program" "$sweep" -o grown.h5 --extend >out 2>err || { cat err; fail "--extend: exit $?"; }
[[ $(digest) == "$reference" ]] || fail "another digest after --extend"
for shard in 1 2; do
  timeout 60 "$program" "$sweep" --shard $shard/2 >out 2>err || [[ $? == 3 ]] || { cat err; fail "shard $shard"; }
  "$program" status tiny.shard-$shard-of-2.h5 --exit-code >out || { cat out; fail "shard $shard is not complete"; }
done
timeout 60 "$program" merge -o merged.h5 tiny.shard-*.h5 >out 2>err || { cat out err; fail "merge: exit $?"; }
[[ $(h5dump -a /rows_digest merged.h5) == *"$reference"* ]] || fail "another digest after a merge"
[[ $("$program" status merged.h5 --exit-code) == complete* ]] || fail "status of a complete file"
[[ -z $(find . -name '*.lock*' -o -name '*.journal' -o -name '*.tmp*') ]] || fail "litter: $(ls -A)"

# A sweep with a broken line, one with a wrong key: exit 2 under mpirun, no file, no hang.
mkdir bad
{ cat "$sweep"; printf '\n[space\n'; } >bad/syntax.toml
{ cat "$sweep"; printf '\n[no_such_section]\nx = 1\n'; } >bad/unknown.toml
cd bad
for kind in syntax unknown; do
  code=0
  timeout 60 mpirun -n 4 "$program" $kind.toml -o out.h5 >../out 2>../err || code=$?
  [[ $code == 2 ]] || { cat ../out ../err; fail "$kind: exit code $code, not 2"; }
  grep -q "$kind.toml:[0-9]*:[0-9]*" ../err || { cat ../err; fail "$kind: no file:line:column"; }
done
[[ $(ls) == $'syntax.toml\nunknown.toml' ]] || fail "something was written: $(ls)"
echo "1, 2, 3 and 8 workers agree: $reference"
