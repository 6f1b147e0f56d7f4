// Any bytes under the header of a table of measurements are rows or a UserError of exit code 2. The first
// byte chooses the header: of steps, collectives, or overlaps; or there is none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/csv.hpp"
#include "config/catalog/catalog_files.hpp"
#include "config/measured/measured_collectives.hpp"
#include "config/measured/measured_steps.hpp"
#include "slowdown/profile_rows.hpp"
#include "tests/fuzz/scratch_catalog.hpp"

namespace {

constexpr const char* headers[] = {
    "",
    "row_id,source,reference,framework,task,gpu,num_gpus,gpus_per_node,scale_up_gbytes_per_s,"
    "scale_out_gbits_per_s_per_node,model,layers,hidden,heads,kv_heads,ffn_hidden,gated_ffn,vocab,seq_len,"
    "experts,"
    "experts_per_token,expert_ffn_hidden,precision,tp,pp,dp,cp,ep,etp,vpp,sequence_parallel,zero,zero_group,"
    "micro_batch,global_batch,recompute,schedule,flash_attention,overlap_grad_reduce,overlap_param_gather,"
    "step_s,"
    "step_kind,mfu,mem_gib,mem_kind,grade\n",
    "source,gpu,gpus_per_node,nodes,ranks,collective,datatype,redop,size_bytes,time_us_out,algbw,busbw,time_"
    "us_in,"
    "network,nccl_version,note\n",
    "row_kind,trace,source,gpu,sm_count,world_size,group_size,kernel,class,op,shape,in_type,ctas,dur_us,ov_"
    "us,ov_frac,"
    "ov_other_frac,ov_copy_frac,comm_kind,comm_ctas,comm_bytes,comm_dur_us,slowdown\n"};

void read(const std::string& text) {
  static const echo::config::CatalogInputs presets = [] {
    static_cast<void>(echo::fuzz::scratch_folder());
    return echo::config::read_catalog();
  }();
  const echo::CsvTable table = echo::CsvTable::parse(text, "fuzz.csv");
  if (echo::config::is_step_table(table)) {
    static_cast<void>(echo::config::read_measured_steps(table, presets));
  } else if (echo::config::is_collective_table(table)) {
    static_cast<void>(echo::config::read_measured_collectives(table, presets));
  } else if (echo::slowdown::is_profile_table(table)) {
    static_cast<void>(echo::slowdown::read_profile_rows(table));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    read(headers[data[0] % std::size(headers)] +
         std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
  return 0;
}
