// Whether and how a launcher of MPI processes started this one, judged by its environment: starting MPI takes
// a third of a second, longer than most commands and small sweeps.
#pragma once

namespace echo::parallel {

// Whether mpirun, srun or a similar launcher gave this process a rank.
[[nodiscard]] bool is_launched();
// Whether this process prints for all before MPI is started.
[[nodiscard]] bool is_first_process();
// Whether there may be other workers, which only MPI can tell: a launcher, or a job step of a workload
// manager that may be one.
[[nodiscard]] bool may_have_peers();

// Whether Open MPI's launcher put all workers on this node.
[[nodiscard]] bool is_on_one_node();

}  // namespace echo::parallel
