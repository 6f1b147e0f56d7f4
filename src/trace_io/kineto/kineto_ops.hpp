// Finds the PyTorch op and the pass of the step of each host call.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace_io/kineto/kineto_step.hpp"

namespace echo::trace_io {

// The place of one call among the ops.
struct CallSite {
  std::int32_t op = -1;    // of KinetoStep::ops, the innermost around it that is no annotation; -1: none
  std::int32_t comm = -1;  // of KinetoStep::comms, of the innermost op that says whom it communicates with
  std::int32_t note = -1;  // of KinetoStep::ops, the innermost annotation "nccl:..."
  trace::Pass pass = trace::Pass::unknown;
};

// For each call of the step. Where an op and one within it are both kernels by their shapes, only the inner
// stays one: the outer's keys are taken away.
//
// Passes: what the autograd engine evaluates is backward, ops in it that record a graph again are recomputed;
// Optimizer.step and zero_grad are the optimizer's, and what comes after the last backward op of a marked
// step (clipping, logging); all else of a step that has a backward pass is forward.
[[nodiscard]] std::vector<CallSite> call_sites(KinetoStep&);

}  // namespace echo::trace_io
