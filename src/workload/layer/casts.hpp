// Operands of 8- and 4-bit products: their casts, scales and transfers. All functions do nothing for operands
// of 16 bits or more.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Source of the 16-bit tensor: a norm may write the format itself, or find the largest magnitude on the way;
// so may the activation of a feed-forward net, forward and backward, under an operation fuser.
enum class Origin : std::int8_t { norm, activation, other };

// Casts an operand into the copies needed by its two products on this rank.
void cast_to_8_bit(Builder&, const Shapes&, TimeCategory part, std::int32_t rows, std::int32_t columns,
                   Origin origin = Origin::other);

// The same for the rows of `experts`, `rows_each` of each: one kernel for each of them, or one for all where
// scales are known beforehand or where the experts are `fused`.
void cast_experts_to_8_bit(Builder&, const Shapes&, TimeCategory part, std::int32_t rows_each,
                           std::int32_t columns, std::int32_t experts, bool fused);

// Casts this rank's part of an operand `width` wide and gathers it along the sequence: forward for one
// product, backward for two. Returns the gather, or none if every rank has all of it. 16-bit operands are
// gathered as they are.
OpId cast_and_gather(Builder&, const Shapes&, TimeCategory part, std::int32_t width, Origin origin);
// An operand kept from the forward pass, gathered again for the weight gradient. Returns the gather, or none.
OpId gather_operand(Builder&, const Shapes&, OpId after, std::int32_t width, std::int32_t copies = 1);
// Casts what fused attention of 8 bits takes or gives, `width` wide, from 16 bits or back to them. Returns
// the transfer that the next kernel still waits for: `after`, where there is nothing to cast.
OpId cast_attention(Builder&, const Shapes&, TimeCategory part, std::int32_t width,
                    OpId after = OpId::none());

// The transposed copy of an operand that arrived already cast; `need`: its gather, or none.
void transpose_operand(Builder&, const Shapes&, std::int32_t rows, std::int32_t columns, Origin origin,
                       OpId need);

// Sharded weights (ZeRO-3) are cast in every pass that gathers them; `need`: the gather, or none.
void cast_gathered_weights(Builder&, const Shapes&, training::LayerKind, TimeCategory part, OpId need);

// One kernel over all of `parameters`: finds their largest magnitude, casts or transposes them.
[[nodiscard]] ops::KernelKey over_weights(const BlockContext&, ops::KernelKind, std::int64_t parameters);

}  // namespace echo::workload
