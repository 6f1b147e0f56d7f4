// gpt-oss: experts with biases, attention sinks, a window in every other layer.
#include "hugging_face/architecture.hpp"
#include "hugging_face/parts.hpp"

namespace echo::hugging_face::architectures {

static constexpr const char* model_types[] = {"gpt_oss"};

static void read(Fields& f, training::ModelSpec& m) {
  read_llama_like(f, m);
  m.linear_bias = m.attention_sinks = m.clamped_activation = true;
  if (!f.flag("attention_bias", true))
    f.refuse("attention_bias", "experts have biases, but attention has none",
             "the simulator knows biases of all products, or of queries, keys and values alone");
  m.experts = f.count("num_local_experts", {1, 65536});
  m.experts_per_token =
      f.count(f.has("num_experts_per_tok") ? "num_experts_per_tok" : "experts_per_token", {1, 65536});
  m.expert_ffn_hidden = m.ffn_hidden;
  m.scaled_positions =
      f.word_in("rope_scaling", "rope_type") == "yarn" || f.word_in("rope_parameters", "rope_type") == "yarn";
  set_window(f, m, f.count_or("sliding_window", 128, {0, 1000000000}), 2);
  f.skip({"experts_per_token", "swiglu_limit", "initial_context_length"});
}

extern const Architecture gpt_oss{
    .model_types = model_types, .source = "transformers 5.24, models/gpt_oss", .read = read};

}  // namespace echo::hugging_face::architectures
