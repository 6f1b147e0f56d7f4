#include "workload/layer/layer_copy.hpp"

#include "base/at.hpp"

namespace echo::workload {

void GradientNotes::note(void* self, Builder& b, training::WeightKind weights, std::int64_t parameters,
                         OpId done) {
  static_cast<GradientNotes*>(self)->gradients.push_back({b.size(), weights, parameters, done});
}

bool can_be_copied(const OpGraph& layer, const GradientNotes& notes) {
  return layer.graphs == 0 && layer.lane.front() == Lane::compute &&
         notes.gradients.size() < OpCopies::most_appended;
}

void copy_layer(Builder& b, const OpGraph& layer, const GradientNotes& notes, const GradientReady& ready) {
  OpCopies copies(b, layer);
  for (const CompleteGradient& gradient : notes.gradients) {
    copies.append(gradient.ops);
    ready(b, gradient.weights, gradient.parameters, copies.of(gradient.done));
  }
  copies.append(layer.size());
}

// What is held already would come before start_after in the row of needs.
bool can_be_copied(const Builder& b, const OpGraph& layer) {
  return layer.graphs == 0 && !b.holds_compute() && layer.lane.front() == Lane::compute;
}

void copy_layer(Builder& b, const OpGraph& layer, OpId start_after) {
  b.hold_compute(start_after);
  OpCopies(b, layer).append(layer.size());
}

}  // namespace echo::workload
