// Mamba-2: every layer is a state space, none has attention or a net.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"mamba2"};

static void read(Fields& f, training::ModelSpec& m) {
  m.layers = f.count("num_hidden_layers", {1, most_pattern_layers});
  m.hidden = f.count("hidden_size", {1, 1 << 24});
  m.vocab = f.count("vocab_size", {1, 1 << 28});
  m.tied_embeddings = f.flag("tie_word_embeddings", false);
  m.mamba = {.heads = f.count("num_heads", {1, 65536}),
             .head_dim = f.count("head_dim", {1, 65536}),
             .groups = f.count_or("n_groups", 8, {1, 65536}),
             .state = f.count_or("state_size", 128, {1, 65536}),
             .convolution = f.count_or("conv_kernel", 4, {1, 65536}),
             .chunk = f.count_or("chunk_size", 256, {1, 1 << 24})};
  if (f.flag("use_bias", false)) f.refuse("use_bias", "products of Mamba layers have biases");
  if (!f.flag("use_conv_bias", true))
    f.refuse("use_conv_bias", "the convolution of Mamba layers has no bias");
  if (std::int64_t{f.count_or("expand", 2, {1, 1024})} * m.hidden !=
      std::int64_t{m.mamba.heads} * m.mamba.head_dim)
    f.refuse("num_heads", "num_heads times head_dim is not expand times hidden_size",
             "compare with the published file");
  m.layer_pattern.assign(static_cast<std::size_t>(m.layers), 'M');
  // Attention, which no layer has: heads that tensor ranks can divide as they divide the states.
  m.heads = m.kv_heads = m.mamba.heads;
  m.head_dim = m.mamba.head_dim;
  m.ffn_hidden = 4 * m.hidden;
  m.norm = training::Norm::rms;
  m.positions = training::Positions::none;
  m.linear_bias = false;
  f.note("config.json gives no length of sequences: max_positions is a guess");
  f.skip({"hidden_act", "time_step_rank"});
}

extern const Architecture mamba2{
    .model_types = model_types, .source = "transformers 5.24, models/mamba2", .read = read};

}  // namespace echo::hugging_face::architectures
