// The contents of each published table:
//   gemm       C[m,n] = A[m,k] B[k,n] of an inference library, weights stored [n,k] (layout TN). 8-bit rows
//              include quantising A. Accuracy is claimed for m, n, k >= 512. Family: (n, k).
//   attention  causal self-attention over `seq_len` new tokens, with the copy of keys and values into the
//              library's cache. Claimed for batch * seq_len >= 2048. Family: heads and length.
//   experts    a fused feed-forward of experts on the busiest of `moe_ep_size` ranks, routing included
//              except for sglang's in nvfp4; see measured_routing.hpp. Claimed for num_tokens >= 1024.
//              Family: (hidden, inner, top k, experts).
//   training   efficiency over `peak_tflops` of training kernels: products by layout (forward TN, input
//              gradient NN, weight gradient NT, which may accumulate in fp32), groups of products, attention
//              forward and backward (FLOPs of the whole square, causal or not). Family: (n, k), or heads and
//              length.
//   layer ops  one op of a decoder layer under tensor parallelism `tp`, launch gap included. Claimed for
//              num_tokens >= 1024. Family: (hidden, ffn_hidden, tp).
#include "config/measured/measured_kernels.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/measured/every_row.hpp"
#include "config/measured/measured_routing.hpp"

namespace echo::config {

namespace {

using machine::Precision;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;
using ops::KernelLibrary;

std::uint64_t both(std::uint64_t a, std::uint64_t b) { return mix(mix(a) ^ b); }
std::uint64_t family_of(double a, double b) {
  return both(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

// "..., name=value, ..." -> value; empty when absent.
std::string_view named(std::string_view description, std::string_view name) {
  for (std::size_t at = 0; at < description.size();) {
    const std::size_t end = std::min(description.find(',', at), description.size());
    std::string_view part = description.substr(at, end - at);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    if (part.substr(0, name.size()) == name && part.substr(name.size(), 1) == "=")
      return part.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

// What was timed as sglang's experts in nvfp4 is FlashInfer's product with a count of rows for each expert
// (ai-dynamo/aiconfigurator collector/sglang/collect_moe.py: flashinfer_cutedsl_moe_masked, masked_m). It
// works on the rows of the rank's own experts alone. sglang's Triton kernel, whose constants its other rows
// give, works on all rows of the tokens that reach the rank.
bool is_masked(const KernelKey& key) {
  return key.library == KernelLibrary::sglang && key.precision == Precision::nvfp4;
}

KernelLibrary library_of(std::string_view name) {
  const auto found = std::find(ops::kernel_library_names.begin(), ops::kernel_library_names.end(), name);
  if (found == ops::kernel_library_names.end()) return KernelLibrary::training;
  return static_cast<KernelLibrary>(found - ops::kernel_library_names.begin());
}

class Reader {
 public:
  Reader(const CsvTable& table, const CatalogInputs& presets, const std::string& gpu)
      : table_(table), presets_(presets), gpu_(gpu) {}

  MeasuredKernel read(KernelTable kind, std::size_t row) {
    row_ = row;
    one_ = {};
    one_.line = table_.place(row).line;
    one_.gpu_name = gpu_.empty() ? text("gpu") : gpu_;
    one_.gpu = find_named(presets_.catalog.gpus, presets_.aliases.resolve("gpu", one_.gpu_name));
    if (one_.gpu < 0) one_.skipped = "no preset for gpu " + one_.gpu_name;
    switch (kind) {
      case KernelTable::gemm:
        read_gemm();
        break;
      case KernelTable::attention:
        read_attention();
        break;
      case KernelTable::experts:
        read_experts();
        break;
      case KernelTable::training_efficiency:
        read_training();
        break;
      case KernelTable::layer_ops:
        read_layer_op();
        break;
    }
    if (one_.skipped.empty()) refuse_what_cannot_be();
    if (one_.skipped.empty() && catalog_gpu().peak_of(one_.key.precision).value <= 0.0)
      one_.skipped = "the GPU has no " +
                     std::string(machine::precision_names.at(static_cast<std::size_t>(one_.key.precision)));
    return one_;
  }

 private:
  // `column`: the cell that is wrong, if any.
  [[noreturn]] void refuse(const std::string& what, const std::string& remedy,
                           std::string_view column = {}) const {
    throw UserError({{table_.place(row_, column), what, remedy}});
  }
  // Shapes beyond any GPU's memory, and times beyond 106 days, are mistakes; prices would overflow.
  void refuse_what_cannot_be() const {
    const KernelKey& key = one_.key;
    const double m = key.m, n = key.n, k = key.k, times = std::max(key.batch, key.groups);
    if (std::max({m * n, n * k, m * k}) * times > 1e15 || m * n * k * times > 1e20)
      refuse("the shape is larger than any GPU holds", "correct or remove the row");
    if (!(one_.seconds > 1e-12 && one_.seconds < 9e6))
      refuse("the time is not possible for a kernel", "correct or remove the row");
  }
  [[nodiscard]] std::string_view text(std::string_view column) const { return table_.text(row_, column); }
  // A number that the table must have, above zero like all counts and measurements here.
  [[nodiscard]] double number(std::string_view column) const {
    const auto value = table_.number(row_, column);
    if (!value)
      refuse("column " + std::string(column) + " is blank", "write a number, or remove the row", column);
    if (*value <= 0.0)
      refuse("column " + std::string(column) + ": " + std::string(text(column)) + " is not above zero",
             "write the measured value, or remove the row", column);
    return *value;
  }
  // Rounded; must be a count that a key can contain.
  [[nodiscard]] std::int32_t whole(double value, std::string_view what) const {
    if (!(value >= 0.5 && value <= std::numeric_limits<std::int32_t>::max()))
      refuse(std::string(what) + " is not a number from 1 to 2 147 483 647", "correct or remove the row");
    return static_cast<std::int32_t>(std::llround(value));
  }
  [[nodiscard]] std::int32_t count(std::string_view column) const {
    const double value = number(column);
    if (value != std::floor(value))
      refuse("column " + std::string(column) + " needs a whole number", "write an integer", column);
    return whole(value, column);
  }
  // "name=value" in the row's description.
  [[nodiscard]] double named_number(std::string_view name) const {
    const std::string_view cell = named(text("description"), name);
    double value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
      refuse("the description gives no number for " + std::string(name),
             "add " + std::string(name) + "=... to it");
    return value;
  }
  [[nodiscard]] std::int32_t named_count(std::string_view name) const {
    return whole(named_number(name), name);
  }
  [[nodiscard]] const machine::GpuSpec& catalog_gpu() const { return presets_.catalog.gpus[at(one_.gpu)]; }

  void read_library() {
    one_.library = text("library");
    one_.key.library = library_of(one_.library);
    one_.scope = kernels::RowScope::serving;
    one_.seconds = number("latency_us") * 1e-6;
  }

  void read_precision() {
    const std::string name = presets_.aliases.resolve("precision", text("dtype"));
    const auto found =
        std::find(machine::precision_names.begin(), machine::precision_names.end(), std::string_view(name));
    if (found == machine::precision_names.end()) {
      if (one_.skipped.empty()) one_.skipped = "dtype " + std::string(text("dtype"));
      return;
    }
    one_.key.precision = static_cast<Precision>(found - machine::precision_names.begin());
  }

  void read_gemm() {
    const std::int32_t m = count("m"), n = count("n"), k = count("k");
    one_.key = {.kind = KernelKind::gemm, .m = m, .n = n, .k = k};
    one_.tokens = m;
    read_library();
    read_precision();
    one_.stratum = "gemm " + std::string(text("dtype"));
    one_.in_region = m >= 512 && n >= 512 && k >= 512;
    one_.family = family_of(n, k);
  }

  void read_attention() {
    const double batch = count("batch_size"), seq = count("seq_len"), heads = count("num_heads");
    one_.tokens = batch * seq;
    one_.key = {.kind = KernelKind::attention_forward,
                .causal = true,
                .m = count("seq_len"),
                .n = count("seq_len"),
                .k = count("head_dim"),
                .batch = whole(batch * heads, "batch_size x num_heads"),
                .groups = whole(batch * count("num_key_value_heads"), "batch_size x num_key_value_heads")};
    read_library();
    read_precision();
    one_.stratum = "attention forward";
    one_.in_region = batch * seq >= 2048;
    one_.family = family_of(heads, seq);
  }

  void read_experts() {
    const std::int32_t hidden = count("hidden_size"), inner = count("inter_size"),
                       experts = count("num_experts"), ranks = count("moe_ep_size"), choices = count("topk"),
                       tokens = count("num_tokens");
    if (choices > experts) refuse("topk is above num_experts", "correct or remove the row");
    if (experts % ranks != 0)
      refuse("num_experts is not divisible by moe_ep_size", "correct or remove the row");
    if (experts > 1 << 16 || static_cast<double>(tokens) * choices > 1e8)  // every copy is distributed
      refuse("the shape is larger than any GPU holds", "correct or remove the row");
    one_.key = {.kind = KernelKind::expert_ffn,
                .m = tokens,
                .n = whole(static_cast<double>(inner) / count("moe_tp_size"), "inter_size / moe_tp_size"),
                .k = hidden,
                .batch = experts / ranks,
                .groups = choices};
    one_.tokens = tokens;
    read_library();
    read_precision();
    if (is_masked(one_.key)) one_.key.library = KernelLibrary::training;
    const std::string_view distribution = text("distribution");
    const auto routing = routings_.of({.tokens = tokens,
                                       .experts = experts,
                                       .choices = choices,
                                       .ranks = ranks,
                                       .unevenness = unevenness_of(distribution)});
    if (routing) one_.key.routing = *routing;
    if (!routing && one_.skipped.empty()) one_.skipped = "distribution " + std::string(distribution);
    one_.key.gated = has_gate(one_.key, one_.library, inner);
    one_.key.routing.tuned = has_tuned_tiles(one_.key, one_.gpu_name);
    one_.stratum = "experts " + std::string(distribution);
    one_.in_region = tokens >= 1024;
    one_.family = both(family_of(hidden, inner), family_of(choices, experts));
  }

  void read_training() {
    const std::string_view op = text("op");
    one_.library = "simumax";
    if (op == "matmul") {
      one_.key = product();
    } else if (op == "group_matmul") {
      one_.key = group_of_products();
    } else if (op == "sdp_fwd" || op == "sdp_bwd") {
      one_.key = attention(op == "sdp_fwd" ? KernelKind::attention_forward : KernelKind::attention_backward);
    } else {
      one_.skipped = "op " + std::string(op);
      return;
    }
    const bool is_product = one_.key.kind == KernelKind::gemm;
    one_.key.library = KernelLibrary::simumax;
    one_.tokens = static_cast<double>(one_.key.m) * (one_.key.grouped ? one_.key.batch : 1);
    one_.family = is_product ? family_of(one_.key.n, one_.key.k) : family_of(one_.key.batch, one_.key.m);
    one_.stratum = "training " + std::string(op);
    // For attention the table counts the whole square.
    const double flops = ops::flops_of(one_.key).value * (is_product ? 1.0 : 2.0);
    one_.efficiency = number("efficiency");
    one_.seconds = flops / (number("peak_tflops") * 1e12 * one_.efficiency);
  }

  [[nodiscard]] KernelKey product() const {
    const std::string_view about = text("description"), layout = named(about, "layout");
    return {.kind = KernelKind::gemm,
            .layout = layout == "NN"   ? GemmLayout::nn
                      : layout == "NT" ? GemmLayout::nt
                                       : GemmLayout::tn,
            .fp32_accumulate = named(about, "accumulate") == "True" && named(about, "out_dtype") == "fp32",
            .m = named_count("m"),
            .n = named_count("n"),
            .k = named_count("k"),
            .batch = named_count("b")};
  }

  // ng products of M rows, by the pass they belong to: N outputs and K inputs of the forward one.
  [[nodiscard]] KernelKey group_of_products() const {
    const std::string_view about = text("description"), stage = named(about, "stage");
    const std::int32_t rows = named_count("M"), n = named_count("N"), k = named_count("K");
    KernelKey key{
        .kind = KernelKind::gemm, .grouped = true, .m = rows, .n = n, .k = k, .batch = named_count("ng")};
    if (stage == "bwd_grad_act") key.layout = GemmLayout::nn, key.n = k, key.k = n;
    if (stage == "bwd_grad_w")
      key.layout = GemmLayout::nt, key.m = n, key.n = k, key.k = rows,
      key.fp32_accumulate = named(about, "accumulate") == "True" && named(about, "main_grad_dtype") == "fp32";
    return key;
  }

  [[nodiscard]] KernelKey attention(KernelKind kind) const {
    const std::int32_t seq = named_count("seq_len"), values = named_count("v_head_dim"),
                       keys = named_count("qk_head_dim");
    const double batch = named_count("batch");
    return {.kind = kind,
            .causal = true,
            .m = seq,
            .n = seq,
            .k = keys,
            .batch = whole(batch * named_count("head_num"), "batch x head_num"),
            .groups = whole(batch * named_count("kv_head_num"), "batch x kv_head_num"),
            .value_dim = values == keys ? 0 : values};
  }

  void read_layer_op() {
    const std::string_view op = text("op");
    const double hidden = count("hidden"), degree = count("tp"), heads = count("heads"), dim = hidden / heads,
                 key_heads = count("kv_heads"), ffn = count("ffn_hidden");
    const std::int32_t tokens = count("num_tokens");
    const bool gated = text("gated_ffn") == "True";
    const auto width = [&](double value) { return whole(value, "the width of " + std::string(op)); };
    one_.key = {.kind = KernelKind::gemm, .m = tokens, .n = width(hidden)};
    KernelKey& key = one_.key;
    if (op == "attn_pre_proj")
      key.n = width((heads + 2 * key_heads) * dim / degree), key.k = width(hidden);
    else if (op == "attn_post_proj")
      key.k = width(hidden / degree);
    else if (op == "mlp_up_proj")
      key.n = width(ffn / degree * (gated ? 2 : 1)), key.k = width(hidden);
    else if (op == "mlp_down_proj")
      key.k = width(ffn / degree);
    else if (op == "input_layernorm")
      key.kind = KernelKind::norm_forward;
    else if (op == "add")  // two tensors in, one out and no mask: half as much again as a copy
      key.kind = KernelKind::elementwise, key.n = width(hidden / 2 * 3);
    else if (op == "emb")
      key.kind = KernelKind::embedding_forward;
    else if (op == "attn_rope")
      key.kind = KernelKind::rope, key.n = width((heads + key_heads) * dim / degree);
    else if (op == "mlp_act")
      key.kind = KernelKind::activation_forward, key.gated = gated, key.n = width(ffn / degree);
    else if (one_.skipped.empty())
      one_.skipped = "op " + std::string(op);
    key.library = KernelLibrary::vidur;
    one_.library = "vidur";
    one_.tokens = tokens;
    one_.seconds = number("latency_us") * 1e-6;
    one_.stratum = "layer " + std::string(op);
    one_.in_region = tokens >= 1024;
    one_.family = family_of(hidden, ffn + degree);
  }

  const CsvTable& table_;
  const CatalogInputs& presets_;
  const std::string& gpu_;
  std::size_t row_ = 0;
  MeasuredKernel one_;
  MeasuredRoutings routings_;
};

}  // namespace

std::vector<MeasuredKernel> read_measured_kernels(const CsvTable& table, KernelTable kind,
                                                  const CatalogInputs& presets, const std::string& gpu) {
  Reader reader(table, presets, gpu);
  return every_row<MeasuredKernel>(table, [&](std::size_t row) { return reader.read(kind, row); });
}

}  // namespace echo::config
