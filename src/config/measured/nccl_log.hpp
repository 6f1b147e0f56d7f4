// Parses the output of nccl-tests into a table of measured collectives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace echo::config {

// Facts that a log may lack, from the command line; blank or 0 = the log must contain them.
struct NcclLogHints {
  std::string collective, gpu, network;  // network: words such as "8x400Gb/s IB"
  std::int32_t nodes = 0, ranks = 0, nccl_version = 0;
};

struct NcclLogRow {
  std::string collective;  // all_reduce
  std::string gpu;         // as the log names the device
  std::int32_t nodes = 1, ranks = 1, gpus_per_node = 1;
  std::int32_t nccl_version = 0;  // 0 = not known
  std::int64_t bytes = 0;
  double us_out = 0.0, us_in = 0.0;  // 0 = not measured
  bool one_process = false;          // one process drives several GPUs, which shows in short times
  std::int32_t line = 0;
};

// The rows of one log, of any of nccl-tests 2.8 to 2.17 (several runs one after the other, prefixes of mpirun
// and srun). `name` is used in messages. Throws UserError with file and line where a row is none, or leaves
// open what was not given.
[[nodiscard]] std::vector<NcclLogRow> read_nccl_log(std::string_view text, const std::string& name,
                                                    const NcclLogHints& hints);

// The rows as the CSV form of measured collectives.
[[nodiscard]] std::string as_collective_table(const std::vector<NcclLogRow>& rows, const NcclLogHints& hints);

}  // namespace echo::config
