// A block as lines of text, one op each, so that tests can say what a layer is made of.
#pragma once

#include <string>
#include <vector>

#include "base/at.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/kernel_flops.hpp"
#include "workload/body.hpp"
#include "workload/builder.hpp"
#include "workload/layer/transformer.hpp"

namespace echo::workload {

inline std::string short_name(ops::KernelKind kind) {
  using ops::KernelKind;
  switch (kind) {
    case KernelKind::gemm:
      return "gemm";
    case KernelKind::attention_forward:
      return "attention";
    case KernelKind::attention_backward:
      return "attention'";
    case KernelKind::norm_forward:
      return "norm";
    case KernelKind::norm_backward:
      return "norm'";
    case KernelKind::rope:
      return "rope";
    case KernelKind::residual_forward:
      return "residual";
    case KernelKind::residual_backward:
      return "residual'";
    case KernelKind::activation_forward:
      return "activation";
    case KernelKind::activation_backward:
      return "activation'";
    case KernelKind::elementwise:
      return "copy";
    case KernelKind::memset_zero:
      return "clear";
    case KernelKind::merge:
      return "merge";
    case KernelKind::convolution_forward:
      return "convolution";
    case KernelKind::convolution_backward:
      return "convolution'";
    case KernelKind::scan_forward:
      return "scan";
    case KernelKind::scan_backward:
      return "scan'";
    default:
      return "other";
  }
}

inline std::string line_of(const ops::KernelKey& k) {
  std::string line = short_name(k.kind) + " " + std::to_string(k.m) + "x" + std::to_string(k.n);
  if (k.kind == ops::KernelKind::gemm) line += "x" + std::to_string(k.k);
  if (k.batch > 1) line += " of " + std::to_string(k.batch);
  if (k.groups > 1) line += "/" + std::to_string(k.groups);
  if (k.causal) line += " causal";
  if (k.span > 0) line += (k.chunked ? " chunk " : " span ") + std::to_string(k.span);
  return line;
}

inline std::string line_of(const ops::CollectiveQuery& q, Lane lane) {
  return std::string(lane == Lane::context ? "cp " : "other ") +
         std::string(ops::collective_kind_names[at(q.kind)]) + " " + std::to_string(q.payload.value) +
         " over " + std::to_string(q.group.ranks);
}

// A config with its layout and the context blocks need; keep it where it is.
struct Setting {
  Setting(training::TrainingConfig c, training::ModelSpec m)
      : config(c),
        model(std::move(m)),
        framework(support::plain_framework()),
        layout(support::layout_of(config, model)),
        x{config, model, framework, layout, model.vocab, false} {}
  Setting(const Setting&) = delete;
  training::TrainingConfig config;
  training::ModelSpec model;
  training::FrameworkSpec framework;
  training::RankLayout layout;
  BlockContext x;
};

// What `trace(builder)` appends to one block.
template <class Trace>
Workload traced_block(const Trace& trace) {
  Workload work;
  Builder b(work);
  Body body;
  b.resume(body);
  b.open_block();
  trace(b);
  b.finish(body);
  return work;
}

inline std::vector<std::string> lines_of(const Workload& work) {
  const OpGraph& block = work.blocks[0];
  std::vector<std::string> lines;
  for (std::size_t op = 0; op < block.lane.size(); ++op) {
    const std::size_t place = at(block.work[op]);
    lines.push_back(block.lane[op] == Lane::compute
                        ? line_of(work.kernels[place])
                        : line_of(work.collectives[place - work.kernels.size()], block.lane[op]));
  }
  return lines;
}

// Flops of the kernels of one kind that pass `wanted(kind)`.
template <class Wanted>
double flops_of_block(const Workload& work, const Wanted& wanted) {
  return support::block_flops(work, work.blocks[0],
                              [&](const ops::KernelKey& key, TimeCategory) { return wanted(key.kind); });
}

}  // namespace echo::workload
