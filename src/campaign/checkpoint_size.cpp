// Bytes per parameter as the memory model has them (training/memory): the weights in their 16- or 32-bit
// format (8-bit copies are made again), the fp32 copy that the optimizer updates, and its moments. Under FSDP
// the fp32 shards are the weights; DeepSpeed saves its 16-bit shards beside them. Gradients, activations and
// random states are not saved or negligible. With Adam in bf16 14 bytes: BLOOM's 176.2 billion parameters
// make 2.47 TB, of which its logs give "2.3TB", in binary units 2.24 (bigscience
// train/tr11-176B-ml/chronicles.md).
#include "campaign/checkpoint_size.hpp"

#include <limits>

#include "machine/precision.hpp"
#include "training/memory/number_formats.hpp"

namespace echo::campaign {

double checkpoint_bytes(const training::TrainingConfig& c, const training::ModelSpec& m,
                        const training::FrameworkSpec& f) {
  if (!m.trace.is_none() || c.recipe.lora_rank > 0) return std::numeric_limits<double>::quiet_NaN();
  const bool shards_are_weights = c.zero == training::ZeroStage::parameters &&
                                  f.gradients != training::GradientStore::partitioned &&
                                  training::master_bytes(c) > 0.0;
  const double weights = shards_are_weights ? 0.0 : machine::element_bytes(c.precision);
  const double each = weights + training::master_bytes(c) + training::moment_bytes(c.recipe.optimizer);
  return static_cast<double>(training::total_parameters(m)) * each;
}

}  // namespace echo::campaign
