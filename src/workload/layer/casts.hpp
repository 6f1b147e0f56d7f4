// Operands of 8- and 4-bit products: the casts that make them, what their scales need first, and how they
// travel. Nothing here does anything where products take operands of 16 bits or more.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// What wrote the 16-bit tensor: a norm may write the format itself, or find the largest magnitude as it goes.
enum class Origin : std::int8_t { norm, other };

// Casts an operand in the copies that its two products on this rank take.
void cast_to_8_bit(Builder&, const Shapes&, TimeCategory part, std::int32_t rows, std::int32_t columns,
                   Origin origin = Origin::other);

// This rank's part of an operand `width` wide, cast and gathered along the sequence: forward for one product,
// backward for two. Returns the gather, or -1 where every rank has all of it. 16-bit operands travel as they
// are.
OpIndex cast_and_gather(Builder&, const Shapes&, TimeCategory part, std::int32_t width, Origin origin);
// An operand kept from the forward pass, gathered again for the weight gradient. Returns the gather, or -1.
OpIndex gather_operand(Builder&, const Shapes&, OpIndex after, std::int32_t width, std::int32_t copies = 1);
// The transposed copy of an operand that came as it is; `need`: its gather, or -1.
void transpose_operand(Builder&, const Shapes&, std::int32_t rows, std::int32_t columns, Origin origin,
                       OpIndex need);

// Sharded weights (ZeRO-3) are cast in every pass that gathers them; `need`: the gather, or -1.
void cast_gathered_weights(Builder&, const Shapes&, training::LayerKind, TimeCategory part, OpIndex need);

// One kernel over all of `parameters`: finds their largest magnitude, casts or transposes them.
[[nodiscard]] ops::KernelKey over_weights(const BlockContext&, ops::KernelKind, std::int64_t parameters);

}  // namespace echo::workload
