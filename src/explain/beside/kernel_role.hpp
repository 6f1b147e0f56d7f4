// The role of a kernel in a training step, by which recorded kernels are laid beside simulated ones.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ops/collective.hpp"
#include "ops/kernel.hpp"

namespace echo::explain {

enum class KernelRole : std::int8_t {
  product,    // dense matrix products
  experts,    // grouped products of a mixture's experts
  attention,  // fused attention
  norm,
  cast,         // to and from 8 bit, with the transposes that go with it
  elementwise,  // activations, rotary embedding, residuals, dropout, softmax, copies, fills
  routing,      // scores of experts, sorting of tokens, and their copies to and from expert order
  embedding,
  loss,
  optimizer,
  // Communication:
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,  // DeepEP's dispatch, combine and notify included
  send_recv,
  other_communication
};
inline constexpr std::size_t kernel_role_count = 16;
inline constexpr std::array<std::string_view, kernel_role_count> kernel_role_names{
    "product",        "experts",     "attention",  "norm",
    "cast",           "elementwise", "routing",    "embedding",
    "loss",           "optimizer",   "all_reduce", "all_gather",
    "reduce_scatter", "all_to_all",  "send_recv",  "other communication"};

[[nodiscard]] constexpr bool communicates(KernelRole role) { return role >= KernelRole::all_reduce; }

[[nodiscard]] KernelRole role_of(const ops::KernelKey&);
[[nodiscard]] KernelRole role_of(ops::CollectiveKind);
// By the name that a profiler gives a kernel, a copy or a fill. A name that nothing here knows is
// elementwise.
[[nodiscard]] KernelRole role_of_name(std::string_view full_name);

}  // namespace echo::explain
