#include "calibrate/kernel_measurements.hpp"

#include <array>
#include <cmath>
#include <string_view>

#include "base/counter_rng.hpp"
#include "base/csv.hpp"
#include "base/error.hpp"

namespace echo::calibrate {

namespace {

using machine::Precision;
using ops::GemmLayout;
using ops::KernelKey;
using ops::KernelKind;

// Training runs PyTorch's cuBLAS: the `sglang` rows call it (torch linear); 8-bit products go through
// cuBLASLt as in Transformer Engine: the `trtllm` rows. Attention: FlashAttention-2 (A100), -3 (Hopper) and
// the best kernels of Blackwell (`sglang`); the b200 table holds `trtllm` only.
const std::array<KernelSources, 5> known_sources{{
    {"a100-sxm", "a100_sxm", "sglang", "", "sglang", "a100-pcie-80gb", "a100-sxm-80gb"},
    {"h100-sxm", "h100_sxm", "sglang", "trtllm", "sglang", "", "h100-sxm"},
    {"h200-sxm", "h200_sxm", "sglang", "trtllm", "sglang", "", ""},
    {"b200-sxm", "b200_sxm", "sglang", "trtllm", "trtllm", "b200-sxm", ""},
    {"gb200", "gb200", "sglang", "trtllm", "sglang", "b200-sxm", ""},
}};

std::uint64_t family_of(double a, double b) {
  return mix(mix(static_cast<std::uint64_t>(a)) ^ static_cast<std::uint64_t>(b));
}

std::int32_t whole(double value) { return static_cast<std::int32_t>(std::llround(value)); }

// A number that the table must have.
double number(const CsvTable& table, std::size_t row, std::string_view column) {
  const auto value = table.number(row, column);
  if (!value)
    throw UserError({{table.place(row), "no " + std::string(column), "use the table as published"}});
  return *value;
}

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

}  // namespace

KernelSources kernel_sources(const std::string& gpu) {
  std::string all;
  for (const KernelSources& sources : known_sources) {
    if (sources.gpu == gpu) return sources;
    all += (all.empty() ? "" : ", ") + sources.gpu;
  }
  throw UserError("no kernel tables for GPU \"" + gpu + "\"", "choose one of " + all);
}

std::vector<KernelMeasurement> read_gemms(const std::string& folder, const KernelSources& sources,
                                          Precision precision) {
  const CsvTable table = CsvTable::read_file(folder + "/gemm_" + sources.file + ".csv");
  const bool narrow = precision == Precision::fp8;
  const std::string& library = narrow ? sources.gemm_8_library : sources.gemm_library;
  const std::string dtype = narrow ? "fp8" : "bfloat16";
  std::vector<KernelMeasurement> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "library") != library || table.text(row, "dtype") != dtype) continue;
    const double m = number(table, row, "m"), n = number(table, row, "n"), k = number(table, row, "k");
    if (m < 256 || n < 256 || k < 256) continue;  // decode shapes and router products teach nothing here
    const bool training = m >= 1024 && n >= 1024 && k >= 1024;
    out.push_back(
        {.key =
             {.kind = KernelKind::gemm, .precision = precision, .m = whole(m), .n = whole(n), .k = whole(k)},
         .seconds = number(table, row, "latency_us") * 1e-6,
         .weight = training ? (m * n * k >= 1e11 ? 2.0 : 1.0) : 0.1,
         .family = family_of(n, k)});
  }
  return out;
}

std::vector<KernelMeasurement> read_attention(const std::string& folder, const KernelSources& sources) {
  const CsvTable table = CsvTable::read_file(folder + "/attention_fwd_" + sources.file + ".csv");
  std::vector<KernelMeasurement> out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double seq = number(table, row, "seq_len"), dim = number(table, row, "head_dim");
    // Softmax against depth shows only between head dims; where the chosen library has one, the other lends
    // its own.
    if (table.text(row, "library") != sources.attention_library || seq < 512) continue;
    const double batch = number(table, row, "batch_size"), heads = number(table, row, "num_heads");
    const double tokens = batch * seq;
    out.push_back({.key = {.kind = KernelKind::attention_forward,
                           .causal = true,
                           .m = whole(seq),
                           .n = whole(seq),
                           .k = whole(dim),
                           .batch = whole(batch * heads),
                           .groups = whole(batch * number(table, row, "num_key_value_heads"))},
                   .seconds = number(table, row, "latency_us") * 1e-6,
                   .weight = tokens >= 2048 && heads >= 4 && seq >= 1024 ? 1.0 : 0.1,
                   .family = family_of(heads, seq)});
  }
  return out;
}

std::vector<KernelMeasurement> read_training(const std::string& folder, const KernelSources& sources,
                                             KernelKind kind) {
  std::vector<KernelMeasurement> out;
  if (sources.training_gpu.empty()) return out;
  const CsvTable table = CsvTable::read_file(folder + "/training_efficiency_simumax.csv");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "gpu") != sources.training_gpu) continue;
    const std::string_view op = table.text(row, "op");
    const std::string_view about = table.text(row, "description");
    KernelMeasurement one;
    double flops = 0.0;
    if (kind == KernelKind::gemm && op == "matmul") {
      const std::string layout = named(about, "layout");
      const std::string type = named(about, "out_dtype");
      one.key = {.kind = kind,
                 .layout = layout == "NN"   ? GemmLayout::nn
                           : layout == "NT" ? GemmLayout::nt
                                            : GemmLayout::tn,
                 .fp32_accumulate = named(about, "accumulate") == "True",
                 .m = whole(named_number(about, "m")),
                 .n = whole(named_number(about, "n")),
                 .k = whole(named_number(about, "k")),
                 .batch = whole(named_number(about, "b"))};
      flops = ops::flops_of(one.key).value;
      one.family = family_of(one.key.n, one.key.k);
    } else if ((kind == KernelKind::attention_forward && op == "sdp_fwd") ||
               (kind == KernelKind::attention_backward && op == "sdp_bwd")) {
      const double seq = named_number(about, "seq_len"), batch = named_number(about, "batch");
      const double query_dim = named_number(about, "qk_head_dim"),
                   value_dim = named_number(about, "v_head_dim");
      if (query_dim != value_dim) continue;  // latent attention has products of two depths
      one.key = {.kind = kind,
                 .causal = true,
                 .m = whole(seq),
                 .n = whole(seq),
                 .k = whole(query_dim),
                 .batch = whole(batch * named_number(about, "head_num")),
                 .groups = whole(batch * named_number(about, "kv_head_num"))};
      flops = 2 * ops::flops_of(one.key).value;  // the table counts the whole square
      one.family = family_of(one.key.batch, seq);
    } else {
      continue;
    }
    one.seconds = flops / (number(table, row, "peak_tflops") * 1e12 * number(table, row, "efficiency"));
    out.push_back(one);
  }
  return out;
}

std::vector<KernelMeasurement> read_layer_ops(const std::string& folder, const KernelSources& sources) {
  std::vector<KernelMeasurement> out;
  if (sources.layer_gpu.empty()) return out;
  const CsvTable table = CsvTable::read_file(folder + "/layer_ops_vidur.csv");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "gpu") != sources.layer_gpu) continue;
    const std::string_view op = table.text(row, "op");
    const double h = number(table, row, "hidden"), degree = number(table, row, "tp"),
                 all = number(table, row, "heads");
    const double dim = h / all, key_heads = number(table, row, "kv_heads");
    const bool is_gated = table.text(row, "gated_ffn") == "True";
    const double ffn_width = number(table, row, "ffn_hidden") / degree;
    const double attention_width = (all + 2 * key_heads) * dim / degree;
    KernelKey key{.kind = KernelKind::gemm, .m = whole(number(table, row, "num_tokens")), .n = whole(h)};
    if (op == "attn_pre_proj")
      key.n = whole(attention_width), key.k = whole(h);
    else if (op == "attn_post_proj")
      key.k = whole(h / degree);
    else if (op == "mlp_up_proj")
      key.n = whole(ffn_width * (is_gated ? 2 : 1)), key.k = whole(h);
    else if (op == "mlp_down_proj")
      key.k = whole(ffn_width);
    else if (op == "input_layernorm")
      key.kind = KernelKind::norm_forward;
    else if (op == "add")
      key.kind = KernelKind::residual_forward;
    else if (op == "emb")
      key.kind = KernelKind::embedding_forward;
    else if (op == "attn_rope")
      key.kind = KernelKind::rope, key.n = whole((all + key_heads) * dim / degree);
    else
      key.kind = KernelKind::activation_forward, key.gated = is_gated, key.n = whole(ffn_width);
    out.push_back({.key = key,
                   .seconds = number(table, row, "latency_us") * 1e-6,
                   .weight = 1.0,
                   .family = family_of(h, number(table, row, "ffn_hidden") + degree)});
  }
  return out;
}

}  // namespace echo::calibrate
