// How Transformer Engine's userbuffers move what tensor-parallel products gather and scatter, and the SMs
// that are set aside for it.
#pragma once

#include <cstdint>

#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Gathers and scatters beside products. ring_*: part by part, from rank to rank, beside products of the parts
// (ring_exchange). pipelined_scatter: part by part, each a collective (pipeline). bulk_*: whole, beside whole
// products.
enum class Transfer : std::int8_t { ring_gather, ring_scatter, pipelined_scatter, bulk_gather, bulk_scatter };

// The same shapes, whose collectives over the tensor-parallel group hold the SMs set aside for such a
// transfer; nothing changes where products do not overlap their transfers.
[[nodiscard]] Shapes on_userbuffers(const Shapes&, Transfer);

// Bytes of a row-parallel product's result as ranks send it. Contract: the product overlaps its scatter.
[[nodiscard]] std::int64_t scattered_bytes(const Shapes&);

// Whether a row-parallel product sends the parts of its result from rank to rank. Contract: it overlaps.
[[nodiscard]] bool scatters_in_ring(const Shapes&);

}  // namespace echo::workload
