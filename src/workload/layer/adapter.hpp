// Low-rank adapters beside the products of a frozen model.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// Whether this product of a layer of a frozen model has an adapter.
[[nodiscard]] bool has_column_adapter(const Shapes&);
[[nodiscard]] bool has_row_adapter(const Shapes&);

// Both follow their product: out += B (A in), scaled; `input` and `sum` are the transfers of its operands.
void column_adapter_forward(Builder&, const Shapes&, TimeCategory, std::int32_t inputs, std::int32_t outputs,
                            OpId input);
void row_adapter_forward(Builder&, const Shapes&, TimeCategory, std::int32_t width, OpId sum);

// Backward, after the product's input gradient: gradients of A and B, and their contribution to the input's
// once `sum` has completed it.
void column_adapter_backward(Builder&, const Shapes&, std::int32_t inputs, std::int32_t outputs,
                             const GradientReady&, OpId sum);
void row_adapter_backward(Builder&, const Shapes&, std::int32_t width, const GradientReady&);

}  // namespace echo::workload
