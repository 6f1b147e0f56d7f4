// What a profile's reader holds is bounded by the step it takes, however long the file is.
#include <gtest/gtest.h>

#include <fstream>

#include "base/memory_limit.hpp"
#include "tests/support/kineto_text.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scratch_files.hpp"
#include "trace_io/kineto/kineto_trace.hpp"

namespace echo::trace_io {
namespace {

using echo::testing::KinetoText;
using echo::testing::ScratchFiles;

std::string step_text(int number) {
  constexpr int kernels = 100;
  KinetoText text;
  const double start = 10'000.0 * number;
  text.step(number, start, 9'999);
  for (int i = 0; i < kernels; ++i) {
    const int id = number * kernels + i;
    text.op("aten::add", id, start + 50 * i, 40, ", \"Input Dims\": [[1024, 1024], [1024, 1024]]");
    text.kernel("void at::native::vectorized_elementwise_kernel<4, Add>(int, Add)", id, start + 50 * i + 10,
                start + 60 * i + 100, 30, 7, "", id);
  }
  const std::string list = text.events();
  return list.substr(1, list.size() - 2);
}

// Bytes that reading a profile of so many steps holds at most.
std::int64_t peak_of(const ScratchFiles& files, int steps) {
  const std::string path = files.path("profile.json");
  {
    std::ofstream out(path);
    out << "{\"schemaVersion\": 1, \"traceEvents\": [";
    for (int i = 0; i < steps; ++i) out << (i > 0 ? "," : "") << step_text(i);
    out << "]}";
  }
  const MemoryMeter meter;
  EXPECT_EQ(read_kineto({path}).ranks.at(0).nodes.size(), 100U);
  return meter.peak();
}

TEST(BoundedMemory, AProfileOfManyStepsTakesNoMoreThanOneOfFew) {
  const ScratchFiles files;
  const std::int64_t few = peak_of(files, 3), many = peak_of(files, support::trials(320));  // 0.2 and 20 MB
  EXPECT_GT(few, 100'000);  // or it counts nothing
  EXPECT_LT(many, few + 200'000) << few;
}

}  // namespace
}  // namespace echo::trace_io
