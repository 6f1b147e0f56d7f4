// ASTRA-sim's text workloads: a line with the parallelism, the number of layers, and one line per layer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace echo::trace_io {

// transformer_again: layers are computed forward again in the backward pass, from checkpoints on. customized:
// each layer names a policy of its own.
enum class AstraSplit : std::int8_t {
  micro,
  data,
  model,
  hybrid_data_model,
  hybrid_model_data,
  hybrid_dlrm,
  transformer,
  transformer_again,
  customized
};

// Whether model_parallel_NPU_group splits the ranks into those that share layers and those that have the
// same.
[[nodiscard]] constexpr bool has_model_groups(AstraSplit split) {
  return split == AstraSplit::transformer || split == AstraSplit::transformer_again;
}

// One of a layer's three parts: compute, then communication ("NONE", "ALLREDUCE", "ALLGATHER",
// "REDUCESCATTER", "ALLTOALL") of so many bytes.
struct AstraPart {
  std::int64_t micros = 0;
  std::string type = "NONE";
  std::int64_t bytes = 0;
};

enum class AstraPass : std::int8_t { forward, input_gradient, weight_gradient };

struct AstraLayer {
  std::string name;
  std::string reserved = "-1";      // the second column, which nothing reads
  std::array<AstraPart, 3> parts;   // [AstraPass]
  std::string update_micros = "0";  // of the optimizer; the converter leaves it out
  AstraSplit own{};                 // of HYBRID_CUSTOMIZED
};

struct AstraTable {
  AstraSplit split{};
  std::string first_line;              // as it stands there
  std::int32_t last_bottom_layer = 0;  // of HYBRID_DLRM
  std::int32_t ranks = 0;  // "npus: 16" behind the split, a habit of ours, or "all_gpus: 16"; 0: not said
  std::int32_t model_ranks = 1;            // of HYBRID_TRANSFORMER: consecutive ranks that share a layer
  std::vector<std::int32_t> checkpoints;   // layers that keep what they need to start again
  std::vector<std::int32_t> again_before;  // layers whose backward waits for the layers below, done again
  std::vector<AstraLayer> layers;
};

// `file` stands in messages. Throws UserError, 2, with every problem by line and column.
[[nodiscard]] AstraTable read_astra_table(const std::string& text, const std::string& file);
[[nodiscard]] std::string text_of(const AstraTable&);
[[nodiscard]] bool begins_like_astra_text(std::string_view head);

}  // namespace echo::trace_io
