// Host time: the time the CPU takes to issue a GPU's kernels, and its effect on the GPU.
#pragma once

#include <algorithm>

#include "base/units.hpp"
#include "machine/cluster.hpp"
#include "training/config.hpp"
#include "training/framework.hpp"
#include "training/layout/rank_layout.hpp"
#include "training/model.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// A framework's host time, stated for the processors of a DGX H100, on those of the cluster.
[[nodiscard]] SimTime on_hosts_of(const machine::ClusterSpec&, SimTime);

class Host {
 public:
  Host(const training::TrainingConfig&, const training::ModelSpec&, const training::FrameworkSpec&,
       const machine::ClusterSpec&, const training::RankLayout&);

  [[nodiscard]] SimTime issue_time(const workload::OpGraph&) const;
  // What its collectives would wait, were the host of each of their ranks late by a call, where a pipeline
  // crosses nodes.
  [[nodiscard]] SimTime peers_of(const workload::OpGraph&) const;
  // Every launch waits until its kernel has run: the host is busy for both, and never ahead.
  [[nodiscard]] bool blocks() const { return blocks_; }
  // How far ahead of the GPU the host still is when a pass begins, given its lead at the end of the one
  // before.
  [[nodiscard]] SimTime kept(SimTime ahead) const;

 private:
  SimTime per_kernel_, per_expert_, per_graph_, per_transfer_, per_late_transfer_, longest_lead_;
  bool blocks_;
};

// Host time that the GPU waits for once per step.
[[nodiscard]] SimTime host_of_step(const training::FrameworkSpec&, const workload::StepTail&);

// A pass whose blocks are issued one after the other. The GPU starts with the host; a block ends no sooner
// than it is issued and no sooner than the one before and itself have run.
struct Issue {
  SimTime issued{}, end{};
  void add(SimTime issue, SimTime run, std::int64_t count) {
    issued += count * issue;
    end = std::max(end + count * run, issued);
  }
  [[nodiscard]] SimTime ahead() const { return end - issued; }  // the host's lead when the pass is issued
};

}  // namespace echo::simulate
