// Expresses the order of streams and synchronisations as dependencies.
#pragma once

#include "base/csr.hpp"
#include "trace/trace.hpp"

namespace echo::trace_io {

// [nodes] earlier nodes that each waits for beyond its needs and follows: those before it on its stream, and
// the last `wait` of the host. Communication that goes out as one (Node::launch) does not wait for its own.
[[nodiscard]] Csr<std::int32_t> stream_order(const trace::RankTrace&);

}  // namespace echo::trace_io
