// Tensor-parallel matrix products: column-parallel ones split their output over the group, row-parallel ones
// their input; and the communication of the group for them.
#pragma once

#include "workload/builder.hpp"
#include "workload/layer/casts.hpp"
#include "workload/layer/shapes.hpp"

namespace echo::workload {

// All-gather, along the sequence, of activations `width` wide; none if every rank has all of them.
OpId gather(Builder&, const Shapes&, OpId after, std::int32_t width);
// Copies `bytes` of a gathered tensor into place if the framework's layout requires it; returns the copy, or
// `gathered` itself.
OpId put_in_place(Builder&, const Shapes&, OpId gathered, double bytes);
// The sum over the group after a row-parallel product, or of an input gradient; none on one rank.
OpId sum(Builder&, const Shapes&, OpId after, std::int32_t width);

// out[rows, outputs] = in[rows, inputs] * W; `outputs` are this rank's own. Returns the transfer the next op
// still waits for, or none. With tensor overlap (Transformer Engine userbuffers: parts move around a ring
// while the current part is multiplied) the product starts on the local part at once, and the last part is
// multiplied when all have arrived. `weights`: the gather of this rank's weights, or none.
OpId column_forward(Builder&, const Shapes&, TimeCategory part, std::int32_t inputs, std::int32_t outputs,
                    OpId weights = OpId::none());
// out[rows, hidden] = in[rows, width] * W; `width` is this rank's own. Returns the sum over the group, which
// the next op waits for. With tensor overlap the product is cut into parts, and all but the last
// are summed while the next runs.
OpId row_forward(Builder&, const Shapes&, TimeCategory part, std::int32_t width);

// Backward of column_forward: the input gradient is summed over the group during the weight gradient.
// Returns the sum, or none.
OpId column_backward(Builder&, const Shapes&, std::int32_t inputs, std::int32_t outputs,
                     const GradientReady& ready);
void row_backward(Builder&, const Shapes&, std::int32_t width, const GradientReady& ready);

// Gradient of a weight of `inputs` x `outputs` local entries over `rows` tokens, after `need` (a gathered
// operand, or none).
void weight_gradient(Builder&, const Shapes&, std::int32_t inputs, std::int32_t outputs, std::int32_t rows,
                     const GradientReady& ready, OpId need = OpId::none());

// Without fused accumulation a separate kernel adds the 16-bit weight gradient to its buffer before `ready`
// is called.
class Accumulating {
 public:
  Accumulating(const GradientReady& ready, const Shapes& s) : ready_(ready), s_(s) {}
  [[nodiscard]] GradientReady hook() { return {&Accumulating::call, this}; }

 private:
  static void call(void* self, Builder&, training::WeightKind, std::int64_t parameters, OpId done);
  const GradientReady& ready_;
  const Shapes& s_;
};

}  // namespace echo::workload
