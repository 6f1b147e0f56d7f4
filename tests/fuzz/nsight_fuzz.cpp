// Any bytes are Echo-slowdown's table, a table of Nsight Compute, or a UserError; every row and every kernel
// read is sound. The first byte chooses whether the header of either stands before the rest.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>

#include "base/csv.hpp"
#include "nsight/compute_csv.hpp"
#include "nsight/echo_table.hpp"

namespace {

constexpr const char* headers[] = {
    "", "kShortName,kDemangledName,ground_truth,duration,overlap_ratio,slowdown,Kernel Name,SM,L2 hit rate\n",
    "ID,Kernel Name,Block Size,Grid Size,Device,gpu__time_duration.sum,sm__inst_executed.sum,"
    "sm__inst_executed_pipe_fma.sum,launch__shared_mem_per_block_static\n,,,,,usecond,inst,inst,Kbyte/"
    "block\n",
    "ID,Kernel Name,Device,Metric Name,Metric Unit,Metric Value\n"};

void read_echo(const std::string& text) {
  const echo::CsvTable table = echo::CsvTable::parse(text, "fuzz.csv");
  if (!echo::nsight::is_echo_table(table)) return;
  for (const echo::slowdown::OverlapRow& row : echo::nsight::read_echo_table(table, "gpu").rows)
    if (echo::slowdown::why_unsound(row) != nullptr) std::abort();
}

void read_compute(const std::string& text) {
  if (!echo::nsight::is_compute_csv(text)) return;
  for (const echo::nsight::ProfiledKernel& kernel : echo::nsight::read_compute_csv(text, "fuzz.csv")) {
    echo::slowdown::OverlapRow row{.kernel = kernel.name, .gpu = "gpu", .metrics = kernel.metrics};
    row.alone = row.overlapped = 1.0;
    if (echo::slowdown::why_unsound(row) != nullptr) std::abort();
  }
}

template <class Read>
void expect_error_of_user(Read read, const std::string& text) {
  try {
    read(text);
  } catch (const echo::UserError& error) {
    if (error.exit_code() != 2) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text =
      headers[data[0] % std::size(headers)] + std::string(reinterpret_cast<const char*>(data) + 1, size - 1);
  expect_error_of_user(read_echo, text);
  expect_error_of_user(read_compute, text);
  return 0;
}
