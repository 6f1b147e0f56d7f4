// The host issues kernels while the GPU still runs earlier ones; its lead is the work that the GPU has yet
// to do. A pass of short kernels uses up that lead and then runs at the host's pace; a pass of long kernels
// builds it up again. Over equal blocks either the GPU is behind the host or the host behind the GPU, from
// the first block to the last, so only the ends of runs of blocks matter (Issue); a test compares this with
// issuing one kernel after the other.
//
// Between passes the lead is kept only where nothing waits for the GPU. Megatron-LM's pipeline without
// overlapped transfers synchronises the device at every hop (p2p_communication.py, batch_p2p_sync), and a
// dropless mixture copies its token counts to the host (token_dispatcher.py), unless graphs with buffers of
// a fixed size leave them on the GPU: there each pass starts without a lead. The lead is never longer than
// the launch queue: 1024 kernels (forums.developer.nvidia.com/t/68937, stackoverflow.com/q/53970187). The
// step's own waits (loss, gradient norm) are in host_per_step.
//
// A call of the framework that issues the products or casts of all experts in a loop of its own (Transformer
// Engine's GroupedLinear) costs the time of a call and that of each further launch, host_per_expert.
//
// A CUDA graph is one call of the framework, whatever it contains: 2.5 us to launch, plus 1 ns per kernel,
// which is left out (NVIDIA blog 2024, "Constant Time Launch for Straight-Line CUDA Graphs").
//
// Frameworks state their times for the processors of a DGX H100 (Intel Xeon 8480C). Others take longer for
// the same call, by the cluster's host_time_factor: a PyTorch linear layer is issued in 13.5 us there, in 33
// us by the Grace of a GH200, and in 37 us by that of a GB200 (NVIDIA/TransformerEngine issue 2053); its
// launch on the GPU, and what waits for memory, differs less. What published steps show of a framework's
// whole call is pooled in calibrate/steps/processor_times.cpp. The time once per step is left as it is.
//
// Under CUDA_LAUNCH_BLOCKING=1 a launch returns when its kernel has ended (CUDA C++ Programming Guide,
// asynchronous concurrent execution): host and GPU take turns, and a pass takes the sum of both times.
// Neglected: the time that the host takes to wake up after each kernel; kernels of the step's tail, which
// are few and long.
#include "simulate/prices/host_time.hpp"

#include <cmath>

namespace echo::simulate {

namespace {
constexpr std::int64_t launch_queue = 1024;
constexpr SimTime graph_launch = std::chrono::nanoseconds(2500);
}  // namespace

SimTime on_hosts_of(const machine::ClusterSpec& cluster, SimTime time) {
  return SimTime(std::llround(static_cast<double>(time.count()) * cluster.host_time_factor));
}

Host::Host(const training::TrainingConfig& config, const training::ModelSpec& model,
           const training::FrameworkSpec& framework, const machine::ClusterSpec& cluster,
           const training::RankLayout& layout)
    : per_kernel_(on_hosts_of(cluster, framework.host_per_kernel)),
      per_expert_(on_hosts_of(cluster, framework.host_per_expert)),
      per_graph_(per_kernel_ + graph_launch),
      per_transfer_(layout.pipeline.nodes > 1 ? layout.tensor.ranks * framework.host_per_peer
                                              : SimTime::zero()),
      per_late_transfer_(layout.pipeline.nodes > 1 ? layout.tensor.ranks * per_kernel_ : SimTime::zero()),
      blocks_(cluster.launch_blocking) {
  const bool waits_at_hops = config.degrees.pipeline > 1 && !config.overlap.pipeline;
  const bool waits_for_counts =
      model.has_experts() && config.recipe.capacity_permille == 0 && !config.recipe.cuda_graphs;
  longest_lead_ = waits_at_hops || waits_for_counts || blocks_ ? SimTime::zero() : launch_queue * per_kernel_;
}

SimTime Host::issue_time(const workload::OpGraph& graph) const {
  return (graph.launches - graph.looped) * per_kernel_ + graph.looped * per_expert_ +
         graph.graphs * per_graph_ + graph.transfers * per_transfer_;
}

SimTime Host::peers_of(const workload::OpGraph& graph) const { return graph.transfers * per_late_transfer_; }

SimTime host_of_step(const training::FrameworkSpec& framework, const workload::StepTail& tail) {
  return framework.host_per_step + tail.slices * framework.host_per_slice;
}

SimTime Host::kept(SimTime ahead) const { return std::min(ahead, longest_lead_); }

}  // namespace echo::simulate
