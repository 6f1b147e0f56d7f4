// Ulysses all-to-all: from sequence-sharded to head-sharded and back, over a context group or over neighbours
// in one.
#pragma once

#include <initializer_list>

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// The shapes of a rank after the exchange.
[[nodiscard]] Shapes with_heads_shared(const Shapes&, const machine::GroupSpan& group);

// Exchanges tensors `widths` wide (before the exchange, or after its reverse) over the group; each rank
// receives as many bytes as it sends. `after`: a transfer the first op waits for, or none.
void exchange_heads(Builder&, const Shapes&, TimeCategory part, const machine::GroupSpan& group,
                    std::initializer_list<std::int32_t> widths, OpId after = OpId::none());

}  // namespace echo::workload
