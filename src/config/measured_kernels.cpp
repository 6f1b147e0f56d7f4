// What each published table measured:
//   gemm       C[m,n] = A[m,k] B[k,n] of an inference library, weights stored [n,k] (layout TN). 8-bit rows
//              include quantising A. Accuracy is claimed for m, n, k >= 512. Family: (n, k).
//   attention  causal self-attention over `seq_len` new tokens, with the copy of keys and values into the
//              library's cache. Claimed for batch * seq_len >= 2048. Family: heads and length.
//   experts    a fused feed-forward of experts on the busiest of `moe_ep_size` ranks, routing included; see
//              measured_routing.hpp. Claimed for num_tokens >= 1024. Family: (hidden, inner, top k, experts).
//   training   efficiency over `peak_tflops` of training kernels: products by layout (forward TN, input
//   gradient
//              NN, weight gradient NT, which may accumulate in fp32), groups of products, attention forward
//              and backward (FLOPs of the whole square, causal or not). Family: (n, k), or heads and length.
//   layer ops  one op of a decoder layer under tensor parallelism `tp`, launch gap included. Claimed for
//              num_tokens >= 1024. Family: (hidden, ffn_hidden, tp).
#include "config/measured_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/measured_routing.hpp"

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

std::int32_t whole(double value) { return static_cast<std::int32_t>(std::llround(value)); }

// "..., name=value, ..." -> value; empty when absent.
std::string named(std::string_view description, const std::string& name) {
  const std::string padded = " " + std::string(description);
  const std::size_t at = padded.find(" " + name + "=");
  if (at == std::string::npos) return "";
  const std::size_t begin = at + name.size() + 2;
  return padded.substr(begin, padded.find(',', begin) - begin);
}

double named_number(std::string_view description, const std::string& name) {
  return std::strtod(named(description, name).c_str(), nullptr);
}

KernelLibrary library_of(std::string_view name) {
  const auto found = std::find(ops::kernel_library_names.begin(), ops::kernel_library_names.end(), name);
  if (found == ops::kernel_library_names.end()) return KernelLibrary::training;
  return static_cast<KernelLibrary>(found - ops::kernel_library_names.begin());
}

class Reader {
 public:
  Reader(const CsvTable& table, const CatalogInputs& presets) : table_(table), presets_(presets) {}

  MeasuredKernel read(KernelTable kind, std::size_t row) {
    row_ = row;
    one_ = {};
    one_.gpu_name = text("gpu");
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
    if (one_.skipped.empty() && catalog_gpu().peak_of(one_.key.precision).value <= 0.0)
      one_.skipped = "the GPU has no " +
                     std::string(machine::precision_names.at(static_cast<std::size_t>(one_.key.precision)));
    if (one_.skipped.empty() && one_.seconds <= 0.0) one_.skipped = "no measurement";
    return one_;
  }

 private:
  [[nodiscard]] std::string_view text(std::string_view column) const { return table_.text(row_, column); }
  // A number that the table must have.
  [[nodiscard]] double number(std::string_view column) const {
    const auto value = table_.number(row_, column);
    if (!value)
      throw UserError({{table_.place(row_), "no " + std::string(column), "use the table as published"}});
    return *value;
  }
  [[nodiscard]] const machine::GpuSpec& catalog_gpu() const {
    return presets_.catalog.gpus[static_cast<std::size_t>(one_.gpu)];
  }

  void read_library() {
    one_.library = text("library");
    one_.key.library = library_of(one_.library);
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
    const double m = number("m"), n = number("n"), k = number("k");
    one_.key = {.kind = KernelKind::gemm, .m = whole(m), .n = whole(n), .k = whole(k)};
    read_library();
    read_precision();
    one_.stratum = "gemm " + std::string(text("dtype"));
    one_.in_region = m >= 512 && n >= 512 && k >= 512;
    one_.family = family_of(n, k);
  }

  void read_attention() {
    const double batch = number("batch_size"), seq = number("seq_len"), heads = number("num_heads");
    one_.key = {.kind = KernelKind::attention_forward,
                .causal = true,
                .m = whole(seq),
                .n = whole(seq),
                .k = whole(number("head_dim")),
                .batch = whole(batch * heads),
                .groups = whole(batch * number("num_key_value_heads"))};
    read_library();
    read_precision();
    one_.stratum = "attention forward";
    one_.in_region = batch * seq >= 2048;
    one_.family = family_of(heads, seq);
  }

  void read_experts() {
    const double hidden = number("hidden_size"), inner = number("inter_size"),
                 experts = number("num_experts");
    const std::int32_t ranks = whole(number("moe_ep_size"));
    one_.key = {.kind = KernelKind::expert_ffn,
                .m = whole(number("num_tokens")),
                .n = whole(inner / number("moe_tp_size")),
                .k = whole(hidden),
                .batch = whole(experts) / ranks,
                .groups = whole(number("topk"))};
    read_library();
    read_precision();
    const std::string_view distribution = text("distribution");
    const auto routing = routings_.of({.tokens = one_.key.m,
                                       .experts = whole(experts),
                                       .choices = one_.key.groups,
                                       .ranks = ranks,
                                       .unevenness = unevenness_of(distribution)});
    if (routing) one_.key.routing = *routing;
    if (!routing && one_.skipped.empty()) one_.skipped = "distribution " + std::string(distribution);
    one_.key.gated = has_gate(one_.key, one_.library, inner);
    one_.key.routing.tuned = has_tuned_tiles(one_.key, one_.gpu_name);
    one_.stratum = "experts " + std::string(distribution);
    one_.in_region = one_.key.m >= 1024;
    one_.family = both(family_of(hidden, inner), family_of(one_.key.groups, experts));
  }

  void read_training() {
    const std::string_view op = text("op"), about = text("description");
    one_.library = "simumax";
    double flops = 0.0;
    if (op == "matmul") {
      const std::string layout = named(about, "layout");
      one_.key = {.kind = KernelKind::gemm,
                  .layout = layout == "NN"   ? GemmLayout::nn
                            : layout == "NT" ? GemmLayout::nt
                                             : GemmLayout::tn,
                  .fp32_accumulate = named(about, "accumulate") == "True",
                  .m = whole(named_number(about, "m")),
                  .n = whole(named_number(about, "n")),
                  .k = whole(named_number(about, "k")),
                  .batch = whole(named_number(about, "b"))};
    } else if (op == "group_matmul") {
      one_.key = group_of(about);
    } else if (op == "sdp_fwd" || op == "sdp_bwd") {
      const double seq = named_number(about, "seq_len"), batch = named_number(about, "batch"),
                   values = named_number(about, "v_head_dim"), keys = named_number(about, "qk_head_dim");
      one_.key = {.kind = op == "sdp_fwd" ? KernelKind::attention_forward : KernelKind::attention_backward,
                  .causal = true,
                  .m = whole(seq),
                  .n = whole(seq),
                  .k = whole(keys),
                  .batch = whole(batch * named_number(about, "head_num")),
                  .groups = whole(batch * named_number(about, "kv_head_num")),
                  .value_dim = values == keys ? 0 : whole(values)};
    } else {
      one_.skipped = "op " + std::string(op);
      return;
    }
    const bool product = one_.key.kind == KernelKind::gemm;
    flops = ops::flops_of(one_.key).value * (product ? 1.0 : 2.0);  // the table counts the whole square
    one_.key.library = KernelLibrary::simumax;
    one_.family = product ? family_of(one_.key.n, one_.key.k) : family_of(one_.key.batch, one_.key.m);
    one_.stratum = "training " + std::string(op);
    const double efficiency = number("efficiency");
    if (efficiency > 0.0) one_.seconds = flops / (number("peak_tflops") * 1e12 * efficiency);
  }

  // ng products of M rows, by the pass they belong to: N outputs and K inputs of the forward one.
  static KernelKey group_of(std::string_view about) {
    const std::string stage = named(about, "stage");
    const std::int32_t rows = whole(named_number(about, "M")), n = whole(named_number(about, "N")),
                       k = whole(named_number(about, "K"));
    KernelKey key{.kind = KernelKind::gemm,
                  .grouped = true,
                  .m = rows,
                  .n = n,
                  .k = k,
                  .batch = whole(named_number(about, "ng"))};
    if (stage == "bwd_grad_act") key.layout = GemmLayout::nn, key.n = k, key.k = n;
    if (stage == "bwd_grad_w")
      key.layout = GemmLayout::nt, key.m = n, key.n = k, key.k = rows,
      key.fp32_accumulate = named(about, "accumulate") == "True";
    return key;
  }

  void read_layer_op() {
    const std::string_view op = text("op");
    const double hidden = number("hidden"), degree = number("tp"), heads = number("heads"),
                 dim = hidden / heads, key_heads = number("kv_heads"), tokens = number("num_tokens"),
                 ffn = number("ffn_hidden");
    const bool gated = text("gated_ffn") == "True";
    const double attention_width = (heads + 2 * key_heads) * dim / degree;
    one_.key = {.kind = KernelKind::gemm, .m = whole(tokens), .n = whole(hidden)};
    KernelKey& key = one_.key;
    if (op == "attn_pre_proj")
      key.n = whole(attention_width), key.k = whole(hidden);
    else if (op == "attn_post_proj")
      key.k = whole(hidden / degree);
    else if (op == "mlp_up_proj")
      key.n = whole(ffn / degree * (gated ? 2 : 1)), key.k = whole(hidden);
    else if (op == "mlp_down_proj")
      key.k = whole(ffn / degree);
    else if (op == "input_layernorm")
      key.kind = KernelKind::norm_forward;
    else if (op == "add")  // two tensors in, one out and no mask: half as much again as a copy
      key.kind = KernelKind::elementwise, key.n = whole(hidden / 2 * 3);
    else if (op == "emb")
      key.kind = KernelKind::embedding_forward;
    else if (op == "attn_rope")
      key.kind = KernelKind::rope, key.n = whole((heads + key_heads) * dim / degree);
    else if (op == "mlp_act")
      key.kind = KernelKind::activation_forward, key.gated = gated, key.n = whole(ffn / degree);
    else
      one_.skipped = "op " + std::string(op);
    key.library = KernelLibrary::vidur;
    one_.library = "vidur";
    one_.seconds = number("latency_us") * 1e-6;
    one_.stratum = "layer " + std::string(op);
    one_.in_region = tokens >= 1024;
    one_.family = family_of(hidden, ffn + degree);
  }

  const CsvTable& table_;
  const CatalogInputs& presets_;
  std::size_t row_ = 0;
  MeasuredKernel one_;
  MeasuredRoutings routings_;
};

}  // namespace

std::optional<KernelTable> kernel_table_of(const CsvTable& table) {
  const auto has = [&](std::initializer_list<std::string_view> columns) {
    return std::all_of(columns.begin(), columns.end(), [&](std::string_view c) { return table.has(c); });
  };
  if (has({"gpu", "library", "dtype", "m", "n", "k", "latency_us"})) return KernelTable::gemm;
  if (has({"gpu", "library", "batch_size", "seq_len", "num_heads", "head_dim", "latency_us"}))
    return KernelTable::attention;
  if (has({"gpu", "library", "num_tokens", "num_experts", "moe_ep_size", "distribution", "latency_us"}))
    return KernelTable::experts;
  if (has({"gpu", "op", "peak_tflops", "efficiency", "description"})) return KernelTable::training_efficiency;
  if (has({"gpu", "op", "num_tokens", "hidden", "ffn_hidden", "latency_us"})) return KernelTable::layer_ops;
  return std::nullopt;
}

std::vector<MeasuredKernel> read_measured_kernels(const CsvTable& table, KernelTable kind,
                                                  const CatalogInputs& presets) {
  Reader reader(table, presets);
  std::vector<MeasuredKernel> out;
  for (std::size_t row = 0; row < table.rows(); ++row) out.push_back(reader.read(kind, row));
  return out;
}

}  // namespace echo::config
