// write_overlaps FILE.h5: products beside a proxy on one A100, as the overlap profiler would have measured
// them. Both sides lose half as much again as the SMs that the channels take; three shapes of each size.
#include <cmath>
#include <cstdio>

#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "storage/overlap_file.hpp"

namespace echo::storage {
namespace {

constexpr double sms = 108.0;

slowdown::OverlapRow row_of(std::int32_t size, std::int32_t channels, std::uint64_t number) {
  slowdown::OverlapRow row{.kernel = "gemm", .gpu = "a100-sxm-80gb"};
  row.shape = ops::KernelKey{.kind = ops::KernelKind::gemm, .m = size, .n = 4096, .k = 1024};
  row.alone = 2.0 * size * 4096.0 * 1024.0 / 2e14;
  const double lost = 1.5 * channels / sms * (1.0 + 0.1 * draw_unit(1, 0, number));
  row.overlap_ratio = 0.5 + 0.5 * draw_unit(1, 1, number);
  row.overlapped = slowdown::overlapped_time(row.alone, row.overlap_ratio, lost);
  row.beside = {.made_by = slowdown::CommunicationKind::proxy,
                .channels = channels,
                .threads = 512,
                .payload = 1 << 25,
                .link_rate = 3e11,
                .memory_rate = 1e10 * channels,
                .alone = 2e-4,
                .overlapped = 2e-4 * (1.0 + lost),
                .overlap_ratio = 1.0};
  return row;
}

void write(const char* path) {
  slowdown::OverlapData data{{{"made up", "none", "write_overlaps"}}, {}};
  for (std::int32_t octave = 9; octave < 14; ++octave)
    for (const std::int32_t step : {0, 1, 2})
      for (const std::int32_t channels : {2, 8, 16, 24})
        data.rows.push_back(row_of((1 << octave) + step * 128, channels, data.rows.size()));
  write_overlaps(path, data);
}

}  // namespace
}  // namespace echo::storage

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    echo::storage::write(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
