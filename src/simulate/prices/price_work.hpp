// Prices all kernels and collectives of a workload.
#pragma once

#include "simulate/calibration.hpp"
#include "simulate/catalog.hpp"
#include "simulate/prices/price_memo.hpp"
#include "simulate/prices/prices.hpp"
#include "training/config.hpp"
#include "workload/workload.hpp"

namespace echo::simulate {

// Fills `out` for `work`; memo is consulted and extended. Throws ContractViolation if the calibration lacks
// the GPU's kernels or the cluster's network.
void price_work(const training::TrainingConfig&, const Catalog&, const Calibration&,
                const workload::Workload& work, PriceMemo& memo, Prices& out);

// The same in two steps: the kernels of a body, which come first; then all else. Contract of the second:
// `out` has the first `kernels` of them, of a config that differs in nothing that prices a kernel.
void price_body(const training::TrainingConfig&, const Catalog&, const Calibration&,
                const workload::Workload& body, PriceMemo& memo, Prices& out);
void price_ends(const training::TrainingConfig&, const Catalog&, const Calibration&,
                const workload::Workload& work, std::int32_t kernels, PriceMemo& memo, Prices& out);

// A collective's time per bottleneck.
[[nodiscard]] BottleneckTimes bottlenecks_of(const ops::CollectiveEstimate&);

// The settings to which the config and its cluster restrict communicators, and those of its textbook
// collectives. DeepEP and HybridEP send tokens, not copies: where a generated step dispatches per copy they
// have nothing to do.
[[nodiscard]] ops::CommSettings comm_settings_of(const training::TrainingConfig&, const Catalog&);
[[nodiscard]] ops::GenericSettings generic_settings_of(const training::Recipe&);

// What a kernel of a step waits for: the kernel before it, and the host.
struct KernelIssue {
  KernelIssue(const training::TrainingConfig&, const training::FrameworkSpec&, const machine::ClusterSpec&);
  SimTime gap;         // between dependent kernels
  SimTime per_expert;  // of one product of a group; 0: a graph issues it
};

// A kernel's time in a step per bottleneck, and in total: `alone` plus delays by the host and dependences.
[[nodiscard]] BottleneckTimes bottlenecks_of(const ops::KernelKey&, const ops::KernelPrice&, SimTime in_step,
                                             const KernelIssue&);
[[nodiscard]] SimTime within_a_step(const ops::KernelKey&, SimTime alone, const KernelIssue&);

// The time of one kernel in a step of `config`.
[[nodiscard]] SimTime price_kernel(ops::KernelKey, const training::TrainingConfig&, const Catalog&,
                                   const Calibration&, PriceMemo& memo);

// One query as `config` would ask it, with what it takes of the links; the reference lasts as long as the
// memo.
[[nodiscard]] const PricedCollective& priced_collective(const ops::CollectiveQuery&,
                                                        const training::TrainingConfig&, const Catalog&,
                                                        const Calibration&, PriceMemo& memo);

// One query as `config` would ask it.
[[nodiscard]] ops::CollectiveEstimate price_collective(const ops::CollectiveQuery&,
                                                       const training::TrainingConfig&, const Catalog&,
                                                       const Calibration&, PriceMemo& memo);

}  // namespace echo::simulate
