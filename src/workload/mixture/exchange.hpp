// Tokens on their way to the ranks that hold their experts, and back.
#pragma once

#include "workload/builder.hpp"
#include "workload/mixture/mixture_shapes.hpp"

namespace echo::workload {

// One transfer on the expert lane after `after`; `after` itself where the group is one rank.
OpId over(Builder&, const machine::GroupSpan& group, ops::CollectiveKind, std::int64_t bytes, OpId after);

// To the experts forward, gradients of their outputs backward. Returns the last transfer.
OpId dispatch(Builder&, const Mixture&, OpId after);
// The way back: each rank of an expert-tensor group holds a part of every sum.
OpId combine(Builder&, const Mixture&, OpId after);

// The order in which tokens leave a rank (`towards`: before the transfer) or are put together again after it.
// Only an all-to-all needs it.
void sort_copies(Builder&, const Mixture&, TimeCategory part, bool towards, OpId need = OpId::none());
// Copies between the order of arrival and that of local experts; `arrived`: the transfer it waits for.
void reorder(Builder&, const Mixture&, TimeCategory part, OpId arrived = OpId::none());

}  // namespace echo::workload
