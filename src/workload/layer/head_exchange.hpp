// Between a part of the tokens with all heads and more tokens with a part of the heads: all-to-alls of the
// ranks of a context group, or of the neighbours in one.
#pragma once

#include <initializer_list>

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// What a rank works on after the exchange.
[[nodiscard]] Shapes with_heads_shared(const Shapes&, const machine::GroupSpan& group);

// Sends tensors `widths` wide (as before an exchange or after its reverse) to the group and receives as many
// bytes. `after`: a transfer the first op waits for, or -1.
void exchange_heads(Builder&, const Shapes&, TimeCategory part, const machine::GroupSpan& group,
                    std::initializer_list<std::int32_t> widths, OpIndex after = -1);

}  // namespace echo::workload
