// The scale of the error of a memory estimate, from what the estimate consists of.
#pragma once

#include "simulate/report/error_model.hpp"
#include "training/memory/memory_use.hpp"

namespace echo::simulate {

// Bytes of an estimate: weights to optimizer; activations and logits; all else.
struct MemoryContent {
  double states = 0.0, activations = 0.0, rest = 0.0;
  [[nodiscard]] double sum() const { return states + activations + rest; }
};

// The parts up to `last`, in the order of PyTorch's figures.
[[nodiscard]] MemoryContent memory_content(const training::MemoryParts&, training::MemoryPart last);

// Scale of Student's t of ln(memory needed / estimated), what a publication's runs share included. Contract:
// something is held.
[[nodiscard]] double memory_scale(const ErrorModel&, const MemoryContent&);

}  // namespace echo::simulate
