#include "config/measured/kernel_table_forms.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace echo::config {

namespace {

// The form of a table is the first whose columns it has: a form that needs more columns comes first.
constexpr std::array<KernelTableForm, 5> forms{{
    {KernelTable::gemm, "gemm", {"gpu", "library", "dtype", "m", "n", "k", "latency_us"}, "m, n, k >= 512"},
    {KernelTable::attention,
     "attention",
     {"gpu", "library", "dtype", "batch_size", "seq_len", "num_heads", "num_key_value_heads", "head_dim",
      "latency_us"},
     "batch * seq >= 2048"},
    {KernelTable::experts,
     "experts",
     {"gpu", "library", "dtype", "num_tokens", "hidden_size", "inter_size", "topk", "num_experts",
      "moe_tp_size", "moe_ep_size", "distribution", "latency_us"},
     "tokens >= 1024"},
    {KernelTable::training_efficiency,
     "training efficiency",
     {"gpu", "op", "peak_tflops", "efficiency", "description"},
     ""},
    {KernelTable::layer_ops,
     "layer ops",
     {"gpu", "op", "num_tokens", "hidden", "ffn_hidden", "heads", "kv_heads", "gated_ffn", "tp",
      "latency_us"},
     "tokens >= 1024"},
}};

}  // namespace

bool KernelTableForm::is_form_of(const CsvTable& table) const {
  return std::all_of(needs.begin(), needs.end(),
                     [&](const char* column) { return column == nullptr || table.has(column); });
}

std::span<const KernelTableForm> kernel_table_forms() { return forms; }

const KernelTableForm& form_of(KernelTable kind) {
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const KernelTableForm& f) { return f.kind == kind; });
  ECHO_EXPECT(found != forms.end());
  return *found;
}

std::optional<KernelTable> kernel_table_of(const CsvTable& table) {
  for (const KernelTableForm& form : forms)
    if (form.is_form_of(table)) return form.kind;
  return std::nullopt;
}

}  // namespace echo::config
