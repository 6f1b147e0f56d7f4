// Which choices published training runs have exercised, by GPU kind: the evidence for whole layouts, beside
// that for their kernels and collectives. Read from sweeps/catalog/practice/*.toml, which `echo-calibrate
// practice` derives from a table of published steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/catalog.hpp"

namespace echo::simulate {

// Choices that are compared with published runs, named as the columns that hold them. gpu: whether any run of
// the GPU kind was published; where none was, the other choices are compared with the runs of all kinds.
enum class Choice : std::int8_t {
  gpu,
  model,
  precision,
  framework,
  seq_len,
  tp,
  pp,
  vpp,
  micro_batch,
  cp,
  ep,
  schedule,
  zero,
  recompute,
  sequence_parallel,
  overlap_tp,
  offload_optimizer
};
inline constexpr std::int32_t choice_count = 17;
inline constexpr std::array<std::string_view, choice_count> choice_names{"gpu",
                                                                         "model",
                                                                         "precision",
                                                                         "framework",
                                                                         "seq_len",
                                                                         "tp",
                                                                         "pp",
                                                                         "vpp",
                                                                         "micro_batch",
                                                                         "cp",
                                                                         "ep",
                                                                         "schedule",
                                                                         "zero",
                                                                         "recompute",
                                                                         "sequence_parallel",
                                                                         "overlap_tp",
                                                                         "offload_optimizer"};

constexpr std::int32_t bit_of(Choice choice) { return 1 << static_cast<std::int32_t>(choice); }

// Values of a choice that count as one, in the order of their numbers: "1", "2", "3", "4", "5 to 8", ...
// Empty for gpu and framework, which are compared by name.
[[nodiscard]] std::vector<std::string_view> value_names(Choice);

// The published runs of one GPU kind.
struct PublishedKind {
  std::string gpu;
  std::vector<std::string> frameworks;
  std::array<std::uint32_t, choice_count> seen{};  // bits of values
  friend bool operator==(const PublishedKind&, const PublishedKind&) = default;
};

// The highest share of the peak that a published run reached, of one GPU kind, bytes per operand and dense
// models or mixtures of experts.
struct PublishedBest {
  std::string gpu;
  double operand_bytes = 2.0;
  bool has_experts = false;
  double mfu = 0.0;
  std::string publication;
  friend bool operator==(const PublishedBest&, const PublishedBest&) = default;
};

struct Practice {
  std::vector<PublishedKind> kinds;
  std::vector<PublishedBest> best;
  friend bool operator==(const Practice&, const Practice&) = default;
};

// Whether a published run on any GPU kind is of the config's framework, or of another that builds on the same
// one; true without practice.
[[nodiscard]] bool is_framework_tried(const Practice&, const training::TrainingConfig&, const Catalog&);

// The kind of a GPU: the name of its kernel constants up to the first hyphen ("a100", "h100", "gb200").
[[nodiscard]] std::string_view kind_of(const machine::GpuSpec&);

// Adds a run. A better one replaces the best; `mfu` of zero: not known.
void add_run(Practice&, const training::TrainingConfig&, const Catalog&, double mfu,
             std::string_view publication);
// Adds what another holds.
void add_runs(Practice&, const Practice& other);

// Bits of Choice: values that no run of the config's GPU kind had. Zero for an empty practice, about which
// nothing is known.
[[nodiscard]] std::int32_t untried(const Practice&, const training::TrainingConfig&, const Catalog&);

// The highest published MFU of the config's GPU kind, operands and kind of model; null where there is none.
[[nodiscard]] const PublishedBest* best_published(const Practice&, const training::TrainingConfig&,
                                                  const Catalog&);

}  // namespace echo::simulate
