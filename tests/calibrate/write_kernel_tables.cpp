// Writes tables of kernels in their published forms into a folder: made-up shapes, whose times are the
// model's own with a few percent of noise. What calibration is tried on where no published table may stand.
// usage: write_kernel_tables FOLDER
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/counter_rng.hpp"
#include "base/named_table.hpp"
#include "config/measured/measured_kernels.hpp"
#include "kernels/database/measured_row.hpp"

namespace echo {

namespace {

constexpr double noise = 0.03;

// Rows whose measurement is still to be filled in: "{}" stands in its place.
struct Draft {
  std::string name, header;
  std::vector<std::string> rows;
};

const char* const gpus[] = {"a100-sxm-80gb", "h100-sxm", "b200-sxm", "gb200"};
const char* const files[] = {"a100_sxm", "h100_sxm", "b200_sxm", "gb200"};  // as the tables are called

Draft products(int gpu) {
  Draft draft{fmt::format("gemm_{}", files[gpu]), "gpu,library,dtype,m,n,k,latency_us", {}};
  constexpr int widths[][2] = {{1024, 1024}, {2048, 1024}, {1024, 4096},
                               {4096, 4096}, {8192, 4096}, {4096, 14336}};
  for (const char* library : {"sglang", "trtllm"})
    for (const char* dtype : {"bfloat16", "fp8"})
      for (const int m : {512, 1024, 2048, 4096, 8192})
        for (const auto& [n, k] : widths)
          draft.rows.push_back(fmt::format("{},{},{},{},{},{},{{}}", gpus[gpu], library, dtype, m, n, k));
  return draft;
}

Draft attention(int gpu) {
  Draft draft{fmt::format("attention_fwd_{}", files[gpu]),
              "gpu,library,dtype,batch_size,seq_len,num_heads,num_key_value_heads,head_dim,latency_us",
              {}};
  for (const char* library : {"sglang", "trtllm"})
    for (const int dim : {64, 128})
      for (const int seq : {512, 1024, 2048, 4096, 8192})
        for (const int heads : {8, 16, 32})
          draft.rows.push_back(
              fmt::format("{},{},bfloat16,2,{},{},8,{},{{}}", gpus[gpu], library, seq, heads, dim));
  return draft;
}

Draft experts(int gpu) {
  Draft draft{fmt::format("moe_{}", files[gpu]),
              "gpu,library,dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,"
              "distribution,latency_us",
              {}};
  constexpr int models[][4] = {
      {4096, 1536, 8, 128}, {2048, 768, 8, 128}, {4096, 14336, 2, 8}, {5120, 8192, 1, 16}};
  for (const char* library : {"sglang", "trtllm"})
    for (const int tokens : {1024, 4096, 16384})
      for (const auto& [hidden, inner, choices, count] : models)
        for (const char* distribution : {"balanced", "power_law_1.2"})
          draft.rows.push_back(fmt::format("{},{},bfloat16,{},{},{},{},{},1,4,{},{{}}", gpus[gpu], library,
                                           tokens, hidden, inner, choices, count, distribution));
  return draft;
}

Draft training() {
  Draft draft{"training_efficiency_simumax", "gpu,op,peak_tflops,efficiency,description", {}};
  const auto add = [&](const char* gpu, const char* op, const std::string& about) {
    draft.rows.push_back(
        fmt::format("{},{},{},{{}},\"{}\"", gpu, op, std::string(gpu) == "b200-sxm" ? "2250" : "312", about));
  };
  for (const char* gpu : {"a100-pcie-80gb", "b200-sxm"}) {
    for (const char* layout : {"TN", "NN", "NT"})
      for (const int m : {2048, 4096, 8192})
        for (const int n : {1024, 4096})
          add(gpu, "matmul",
              fmt::format("b=1, m={}, k=4096, n={}, layout={}, accumulate=False", m, n, layout));
    for (const char* op : {"sdp_fwd", "sdp_bwd"})
      for (const int seq : {2048, 4096, 8192})
        for (const int heads : {16, 32})
          add(gpu, op,
              fmt::format("batch=1, seq_len={}, head_num={}, kv_head_num=8, qk_head_dim=128, v_head_dim=128",
                          seq, heads));
  }
  return draft;
}

Draft layer_ops() {
  Draft draft{"layer_ops_vidur",
              "gpu,op,num_tokens,hidden,ffn_hidden,heads,kv_heads,gated_ffn,vocab,tp,latency_us",
              {}};
  for (const char* gpu : {"a100-sxm-80gb", "h100-sxm"})
    for (const char* op :
         {"add", "attn_rope", "emb", "input_layernorm", "mlp_act", "mlp_up_proj", "mlp_down_proj"})
      for (const int tokens : {1024, 8192, 32768})
        for (const int hidden : {4096, 8192})
          draft.rows.push_back(
              fmt::format("{},{},{},{},{},32,8,True,32000,1,{{}}", gpu, op, tokens, hidden, 4 * hidden));
  return draft;
}

// The measurement that a row's cell gets: what the model says, and noise that depends on table and row alone.
std::string measurement(const config::MeasuredKernel& row, const config::CatalogInputs& presets,
                        std::uint64_t table) {
  if (!row.skipped.empty()) return "1";
  const machine::GpuSpec& gpu = presets.catalog.gpus[static_cast<std::size_t>(row.gpu)];
  const std::int32_t constants = find_named(presets.calibration.kernels, gpu.kernels);
  const double seconds =
      to_seconds(kernels::price_row(row.key, row.scope, gpu,
                                    presets.calibration.kernels[static_cast<std::size_t>(constants)])
                     .alone);
  const double drawn =
      seconds * (1.0 + noise * (2.0 * draw_unit(1, table, static_cast<std::uint64_t>(row.line)) - 1.0));
  return fmt::format("{:.6g}", row.efficiency > 0.0 ? row.efficiency * row.seconds / drawn : drawn * 1e6);
}

std::string with_measurements(const Draft& draft, const std::vector<std::string>& cells) {
  std::string text = draft.header + "\n";
  for (std::size_t i = 0; i < draft.rows.size(); ++i)
    text += fmt::format(fmt::runtime(draft.rows[i]), cells[i]) + "\n";
  return text;
}

void write(const Draft& draft, const std::string& folder, const config::CatalogInputs& presets,
           std::uint64_t number) {
  const CsvTable table =
      CsvTable::parse(with_measurements(draft, std::vector<std::string>(draft.rows.size(), "1")), draft.name);
  std::vector<std::string> cells;
  for (const auto& row :
       config::read_measured_kernels(table, config::kernel_table_of(table).value(), presets))
    cells.push_back(measurement(row, presets, number));
  std::ofstream(folder + "/" + draft.name + ".csv") << with_measurements(draft, cells);
}

void write_all(const std::string& folder) {
  std::filesystem::create_directories(folder);
  const config::CatalogInputs presets = config::read_catalog();
  std::vector<Draft> drafts{training(), layer_ops()};
  for (int gpu = 0; gpu < 4; ++gpu)
    for (const auto& draft : {products(gpu), attention(gpu), experts(gpu)}) drafts.push_back(draft);
  for (std::size_t i = 0; i < drafts.size(); ++i) write(drafts[i], folder, presets, i);
}

}  // namespace

}  // namespace echo

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    echo::write_all(argv[1]);
    return 0;
  } catch (const echo::UserError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
