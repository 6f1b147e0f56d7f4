# Sourced: a real Slurm of its own (munged, slurmctld, one slurmd a node) on one machine, for as long as the script runs.
#
# The script is started again as process 1 of new pid, network, mount, uts and ipc namespaces. So ports, host names,
# sockets and folders are private, no configuration of the machine is read or written, and when the script ends, or is
# killed, the kernel ends every daemon and job with it: nothing is left behind. Every node is a set of namespaces again,
# because Open MPI and PMIx name shared files after the host, and because a node can then be lost as one loses a node:
# by killing its process 1.
#
#   enter_cluster "$0" "$@"; start_cluster NODES          then sbatch, srun, squeue, ...; files that all nodes see: $shared
set -euo pipefail

skip() { printf 'SKIPPED: %s\n' "$*"; exit 77; }
say() { printf '[%3s s] %s\n' "$SECONDS" "$*"; }
fail() {
  printf 'FAILED: %s\n' "$*" >&2
  [[ -z ${cluster:-} ]] || tail -n 12 "$cluster"/*.log "$shared"/*.log >&2 2>/dev/null
  exit 1
}

enter_cluster() {
  if [[ -z ${ECHO_INSIDE_CLUSTER:-} ]]; then
    local need namespaces=(unshare --pid --net --mount --uts --ipc --fork --kill-child --mount-proc)
    for need in slurmctld slurmd sbatch srun munged mungekey ip unshare; do
      PATH=$PATH:/usr/sbin command -v "$need" >/dev/null ||
        skip "no $need here; Debian has it in the packages slurm-wlm, munge, iproute2 and util-linux"
    done
    ((EUID == 0)) || skip "not root: slurmd starts jobs as their user, and namespaces need root"
    "${namespaces[@]}" true 2>/dev/null || skip "this machine lets nobody make namespaces (unshare fails)"
    ECHO_INSIDE_CLUSTER=1 exec "${namespaces[@]}" -- "$@"
  fi
  export PATH=$PATH:/usr/sbin
  unset "${!SLURM_@}"  # the tests may themselves run in a job of another Slurm
  # A tmpfs over /run: the daemons' folders, which vanish with this namespace.
  mount -t tmpfs tmpfs /run
  cluster=/run/cluster shared=/run/shared address=10.17.0.1
  mkdir -p $cluster/state $cluster/munge $shared /run/node-tmp
  ip link set lo up
  # Neither Slurm's name look-ups nor Open MPI do with a loopback interface alone.
  ip link add cluster0 type dummy 2>/dev/null || ip link add cluster0 type veth peer name cluster1 2>/dev/null ||
    skip "this kernel has neither dummy nor veth network interfaces"
  ip address add $address/24 dev cluster0
  ip link set cluster0 up
  hostname controller
  { echo "127.0.0.1 localhost"; echo "$address controller n1 n2 n3"; } >$cluster/hosts
  mount --bind $cluster/hosts /etc/hosts
}

write_slurm_conf() {
  local nodes=$1
  cat >$cluster/slurm.conf <<END
ClusterName=echo
SlurmctldHost=controller
SlurmUser=root
AuthType=auth/munge
# cred_expire is also how long a requeued job is held, 120 s by default.
AuthInfo=socket=$cluster/munge/socket,cred_expire=5
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
# More CPUs than the machine has are claimed.
SlurmdParameters=config_overrides
SlurmdTimeout=10
KillWait=5
ReturnToService=2
MpiDefault=none
GresTypes=gpu
END
  local i
  for ((i = 1; i <= nodes; ++i)); do
    echo "NodeName=n$i NodeHostname=n$i NodeAddr=$address Port=$((17000 + i)) CPUs=4 RealMemory=500 Gres=gpu:1"
  done >>$cluster/slurm.conf
  echo "PartitionName=all Nodes=ALL Default=YES State=UP" >>$cluster/slurm.conf
  echo "PartitionName=urgent Nodes=ALL PriorityTier=10 State=UP" >>$cluster/slurm.conf
  echo "Name=gpu Count=1 File=/dev/null" >$cluster/gres.conf
  echo "PMIxCliTmpDirBase=/run/node-tmp" >$cluster/mpi.conf
}

# bash stays as process 1 of the node, because it reaps orphans: Slurm takes a zombie for a task that still runs.
start_node() {
  unshare --pid --mount --uts --fork --kill-child --mount-proc bash -c "
    hostname $1
    mount -t tmpfs tmpfs /dev/shm
    mount -t tmpfs tmpfs /run/node-tmp
    slurmd -D -N $1 -f $SLURM_CONF
    exit" 2>/dev/null &
  echo $! >"$cluster/node-$1.pid"
}

# As when its power fails: every process on it is gone at once.
lose_node() { pkill -KILL -P "$(<"$cluster/node-$1.pid")"; }

# until_true SECONDS COMMAND...: whether it came true in time.
until_true() {
  local last=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < last)) || return 1
    sleep 0.2
  done
}

nodes_idle() { [[ $(sinfo --noheader --Node --states=idle --format=%N 2>/dev/null | wc -l) -ge $1 ]]; }

start_cluster() {
  local i
  export SLURM_CONF=$cluster/slurm.conf
  write_slurm_conf "$1"
  chmod 755 $cluster $cluster/munge
  mungekey --create --keyfile=$cluster/munge/key
  munged --force --num-threads=1 --key-file=$cluster/munge/key --socket=$cluster/munge/socket --pid-file=$cluster/munge/pid \
    --log-file=$cluster/munged.log --seed-file=$cluster/munge/seed || fail "munged does not start"
  slurmctld -c -D -f $SLURM_CONF 2>/dev/null &
  for ((i = 1; i <= $1; ++i)); do start_node n$i; done
  until_true 30 nodes_idle "$1" || fail "Slurm does not start"
  # Jobs inherit the environment of the shell that submits them.
  export TMPDIR=/run/node-tmp
  # Open MPI as root, and yielding: the nodes claim more cores than there are. Its own choice of transports, unlike in
  # tests on one node.
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
  unset OMPI_MCA_btl
  cd $shared
}

digest() { h5dump -a /rows_digest "$1" 2>/dev/null | sed -n 's/.*(0): "\([0-9a-f]*\)".*/\1/p'; }
# Workers of every launch that wrote to a result file, a line each, by the file's own account.
workers() { h5dump -y -w 1 -d /provenance/runs/workers "$1" | grep -Eo '[0-9]+,?$' | tr -d ,; }
# Of a job, or of all tasks of an array: over when Slurm's queue has forgotten it.
is_over() { [[ -z $(squeue --noheader --job="$1") ]]; }
job_state() { squeue --noheader --states=all --job="$1" --format=%T | sort -u; }
