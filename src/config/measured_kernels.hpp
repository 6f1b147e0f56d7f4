// Tables of measured kernels (the CSV forms of published profiles), recognised by their header, as questions
// that the kernel models understand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "config/catalog_files.hpp"
#include "ops/kernel.hpp"

namespace echo::config {

enum class KernelTable : std::int8_t {
  gemm,       // gpu,library,dtype,m,n,k,latency_us
  attention,  // gpu,library,dtype,batch_size,seq_len,num_heads,num_key_value_heads,head_dim,latency_us
  experts,    // gpu,library,dtype,num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size,
              // distribution,latency_us
  training_efficiency,  // gpu,op,peak_tflops,efficiency,description ("name=value, ...")
  layer_ops             // gpu,op,num_tokens,hidden,ffn_hidden,heads,kv_heads,gated_ffn,vocab,tp,latency_us
};
[[nodiscard]] std::optional<KernelTable> kernel_table_of(const CsvTable&);

struct MeasuredKernel {
  std::int32_t gpu = -1;                   // of the catalog; -1: it has no such GPU
  std::string gpu_name, library, stratum;  // as the table has them; a group that errors are summed over
  ops::KernelKey key;                      // of a library that has no constants: `training`
  double seconds = 0.0;                    // measured
  bool in_region = true;                   // the shapes that training has, for which accuracy is claimed
  std::uint64_t family = 0;  // rows of one family are never split between fitting and held-out rows
  std::string skipped;       // why it is not scored; empty = scored
};

// One a row, in their order. Throws UserError where a cell is no number. Precondition: `kind` is the table's.
[[nodiscard]] std::vector<MeasuredKernel> read_measured_kernels(const CsvTable&, KernelTable kind,
                                                                const CatalogInputs&);

}  // namespace echo::config
