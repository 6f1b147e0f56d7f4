#include "training/recipe.hpp"

#include <algorithm>
#include <limits>

#include "machine/topology_words.hpp"

namespace echo::training {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view style_words[]{"fused", "compiled", "eager"};
constexpr std::string_view fp8_words[]{"delayed", "current", "blockwise", "rowwise"};
constexpr std::string_view optimizer_words[]{"adam", "adam_bf16", "adam_8bit", "sgd"};
constexpr std::string_view context_words[]{"p2p", "all_gather", "a2a", "a2a+p2p"};
constexpr std::string_view method_words[]{"uniform", "block"};
constexpr std::string_view dispatch_words[]{"per-copy", "per-node"};
constexpr std::string_view routing_words[]{"cluster", "minimal", "ecmp", "adaptive", "valiant"};
constexpr std::string_view product_words[]{"linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"};
constexpr std::string_view module_words[]{"core_attn", "layernorm", "mla_up_proj",   "mlp",
                                          "moe_act",   "moe",       "shared_experts"};

template <auto member>
constexpr Choice choice(std::string_view name, ChoiceKind kind, Words words, std::int32_t highest) {
  return {{name, kind},
          words,
          highest,
          [](const Recipe& r) { return static_cast<std::int32_t>(r.*member); },
          [](Recipe& r, std::int32_t value) {
            r.*member = static_cast<std::remove_reference_t<decltype(r.*member)>>(value);
          }};
}
template <auto member>
constexpr Choice flag(std::string_view name) {
  return choice<member>(name, ChoiceKind::flag, {}, 1);
}
template <auto member>
constexpr Choice count(std::string_view name, std::int32_t highest) {
  return choice<member>(name, ChoiceKind::count, {}, highest);
}
template <auto member>
constexpr Choice word(std::string_view name, Words words) {
  return choice<member>(name, ChoiceKind::word, words, static_cast<std::int32_t>(words.size()) - 1);
}
template <auto member>
constexpr Choice permille(std::string_view name, std::int32_t highest) {
  return choice<member>(name, ChoiceKind::permille, {}, highest);
}

constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();

constexpr std::array<Choice, choice_count> table{
    word<&Recipe::kernels>("kernels", style_words),
    word<&Recipe::kernels_rms_rope>("kernels_rms_rope", style_words),
    word<&Recipe::kernels_loss>("kernels_loss", style_words),
    word<&Recipe::kernel_library>("kernel_library", ops::kernel_library_names),
    flag<&Recipe::cuda_graphs>("cuda_graphs"),
    word<&Recipe::topology>("topology", machine::topology_words),
    permille<&Recipe::oversubscription_permille>("oversubscription", 1'000'000),
    word<&Recipe::routing>("routing", routing_words),
    word<&Recipe::placement>("placement", machine::placement_names),
    count<&Recipe::placement_seed>("placement_seed", any),
    word<&Recipe::fp8_recipe>("fp8_recipe", fp8_words),
    flag<&Recipe::fp8_gather>("fp8_gather"),
    flag<&Recipe::fp32_gradients>("fp32_gradients"),
    flag<&Recipe::fused_grad_accumulation>("fused_grad_accumulation"),
    word<&Recipe::optimizer>("optimizer", optimizer_words),
    flag<&Recipe::grad_clip>("grad_clip"),
    word<&Recipe::cp_comm>("cp_comm", context_words),
    count<&Recipe::cp_inner>("cp_inner", any),
    flag<&Recipe::scatter_gather>("scatter_gather"),
    count<&Recipe::microbatch_group>("microbatch_group", any),
    flag<&Recipe::post_validation>("post_validation"),
    count<&Recipe::fsdp_prefetch>("fsdp_prefetch", 64),
    flag<&Recipe::fsdp_reshard>("fsdp_reshard"),
    flag<&Recipe::no_sync>("no_sync"),
    flag<&Recipe::offload_optimizer>("offload_optimizer"),
    count<&Recipe::offload_layers>("offload_layers", any),
    choice<&Recipe::recompute_modules>("recompute_modules", ChoiceKind::words, module_words, 127),
    word<&Recipe::recompute_method>("recompute_method", method_words),
    count<&Recipe::recompute_layers>("recompute_layers", any),
    word<&Recipe::dispatch>("dispatch", dispatch_words),
    flag<&Recipe::overlaps_shared_experts>("overlaps_shared_experts"),
    flag<&Recipe::overlap_ep>("overlap_ep"),
    permille<&Recipe::capacity_permille>("capacity_factor", 100'000),
    permille<&Recipe::imbalance_permille>("expert_imbalance", 10'000),
    count<&Recipe::packed_tokens>("packed_tokens", any),
    count<&Recipe::mtp_layers>("mtp_layers", 16),
    count<&Recipe::lora_rank>("lora_rank", 65'536),
    choice<&Recipe::lora_targets>("lora_targets", ChoiceKind::words, product_words, 15),
    word<&Recipe::nccl_algo>("nccl_algo", ops::nccl_algorithm_names),
    word<&Recipe::nccl_proto>("nccl_proto", ops::nccl_protocol_names),
    count<&Recipe::nccl_min_nchannels>("nccl_min_nchannels", 64),
    count<&Recipe::nccl_max_nchannels>("nccl_max_nchannels", 64),
    word<&Recipe::collectives>("collectives", ops::collective_model_names),
    word<&Recipe::generic_algorithm>("generic_algorithm", ops::generic_algorithm_names),
    count<&Recipe::generic_chunks>("generic_chunks", 1024),
    word<&Recipe::generic_order>("generic_order", ops::dimension_order_names),
    word<&Recipe::generic_queue>("generic_queue", ops::chunk_queue_names),
    count<&Recipe::nccl_max_p2p_nchannels>("nccl_max_p2p_nchannels", 64),
    word<&Recipe::comm_library>("comm_library", ops::comm_library_names),
    choice<&Recipe::comm_kernels>("comm_kernels", ChoiceKind::words, ops::comm_kernel_names, 3),
};

constexpr bool heads_agree() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].name != choice_heads[i].name || table[i].kind != choice_heads[i].kind) return false;
  return true;
}
static_assert(heads_agree());

}  // namespace

std::span<const Choice, choice_count> recipe_choices() { return table; }

std::optional<std::int32_t> bits_of(const Choice& choice, std::string_view text) {
  std::int32_t bits = 0;
  if (text == "none") return bits;
  while (true) {
    const std::size_t plus = text.find('+');
    const auto word = std::find(choice.words.begin(), choice.words.end(), text.substr(0, plus));
    if (word == choice.words.end()) return std::nullopt;
    bits |= 1 << (word - choice.words.begin());
    if (plus == std::string_view::npos) return bits;
    text.remove_prefix(plus + 1);
  }
}

std::string text_of_bits(const Choice& choice, std::int32_t bits) {
  std::string text;
  for (std::size_t i = 0; i < choice.words.size(); ++i)
    if ((bits >> i & 1) != 0) text += (text.empty() ? "" : "+") + std::string(choice.words[i]);
  return text.empty() ? "none" : text;
}

}  // namespace echo::training
