// The fields of a learned model in its file, in order: one list for reading and writing. `io(a, b, ...)`
// reads or writes each. Private to the reader and the writer of model_file.hpp.
#pragma once

#include "slowdown/learned.hpp"

namespace echo::slowdown {

template <class Io>
void fields(Io& io, Contention& c) {
  io(c.sm_per_channel, c.memory_interference, c.sustained_memory, c.collective_floor, c.latency_under_load);
}
template <class Io>
void fields(Io& io, Range& range) {
  io(range.low, range.high);
}
template <class Io>
void fields(Io& io, FamilyRate& family) {
  io(family.kernel, family.full_name, family.size, family.kept, family.rows);
}
template <class Io>
void fields(Io& io, Families& families) {
  io(families.sizes_per_octave, families.rates);
}
template <class Io>
void fields(Io& io, ForestNode& node) {
  io(node.threshold, node.feature, node.left, node.right, node.missing_left);
}
template <class Io>
void fields(Io& io, Forest& forest) {
  io(forest.base, forest.roots, forest.nodes);
}
template <class Io>
void fields(Io& io, MlpLayer& layer) {
  io(layer.inputs, layer.outputs, layer.weights, layer.bias);
}
template <class Io>
void fields(Io& io, Mlp& mlp) {
  io(mlp.mean, mlp.scale, mlp.layers);
}
template <class Io>
void fields(Io& io, RateModel& rate) {
  io(rate.seen, rate.residual);
}
template <class Io>
void fields(Io& io, HeldOutError& error) {
  io(error.of, error.folds, error.mean, error.total, error.doubt);
}
template <class Io>
void fields(Io& io, Evidence& evidence) {
  io(evidence.rows, evidence.dataset, evidence.seed, evidence.gpus, evidence.assumed, evidence.errors);
}
template <class Io>
void fields(Io& io, LearnedModel& model) {
  io(model.name, model.features, model.base, model.contention, model.families, model.ranges, model.kernel,
     model.collective, model.evidence);
}

}  // namespace echo::slowdown
