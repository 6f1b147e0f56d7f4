// Rows of the shipped catalog do not depend on how the ids were handed out, nor on what was simulated before.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "config/sweep_file/sweep_file.hpp"
#include "sweep/run/in_process.hpp"
#include "sweep/run/run_sweep.hpp"

namespace echo::sweep {
namespace {

class EvenThenOdd : public WorkSource {  // every second id first, then the others
 public:
  explicit EvenThenOdd(PointIndex size) : size_(size) {}
  std::optional<IdRange> claim() override {
    if (next_ >= size_ && next_ % 2 == 0) next_ = 1;
    if (next_ >= size_) return std::nullopt;
    const IdRange range{next_, next_ + 1};
    next_ += 2;
    return range;
  }

 private:
  PointIndex size_, next_ = 0;
};

TEST(SpaceRun, RowsDoNotDependOnTheOrderOfWork) {
  const auto path = std::filesystem::temp_directory_path() / "echo-space-run-test.toml";
  std::ofstream(path)
      << "[space]\nmodel = [\"gpt3-1.3b\", \"llama2-7b\"]\ncluster = \"dgx-a100-hdr200\"\ngpus = 32\n"
         "tp = [1, 4, 8]\npp = [1, 2]\nvpp = [1, 2]\nglobal_batch = 64\nrecompute = [\"none\", \"full\"]\n";
  const auto inputs = config::read_sweep(path.string());
  std::filesystem::remove(path);
  const DesignSpace space(inputs.spec, inputs.catalog);
  VectorSink in_order, shuffled;
  AllIds all(space.size(), 7);
  EvenThenOdd claims(space.size());
  const SweepSummary summary = run_sweep(space, inputs.catalog, inputs.calibration, all, in_order);
  (void)run_sweep(space, inputs.catalog, inputs.calibration, claims, shuffled);
  EXPECT_TRUE(summary.failures.empty()) << summary.failures[0].message;
  EXPECT_GT(summary.by_status[0], 10);
  ASSERT_EQ(in_order.rows.size(), static_cast<std::size_t>(space.size()));
  ASSERT_EQ(shuffled.rows.size(), in_order.rows.size());
  for (const Row& row : shuffled.rows) {
    const Row& same = in_order.rows[static_cast<std::size_t>(row.id)];
    EXPECT_EQ(row.config_id, same.config_id);
    EXPECT_EQ(row.report.status, same.report.status);
    EXPECT_EQ(row.report.step, same.report.step);
    EXPECT_EQ(row.report.exposed, same.report.exposed);
    EXPECT_EQ(row.report.memory_peak, same.report.memory_peak);
  }
}

}  // namespace
}  // namespace echo::sweep
