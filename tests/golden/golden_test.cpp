// Five tiny sweeps, every row as text. A change of any number shows as a line in a diff.
// ECHO_UPDATE_GOLDEN=1 rewrites the files; say in the commit why they changed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "config/sweep_file/sweep_file.hpp"
#include "sweep/run/in_process.hpp"
#include "sweep/run/run_sweep.hpp"
#include "tests/support/source_dir.hpp"

namespace echo::sweep {
namespace {

std::string rows_of(const std::string& sweep_file) {
  const config::SweepInputs inputs = config::read_sweep(sweep_file);
  const DesignSpace space(inputs.spec, inputs.catalog);
  AllIds ids(space.size());
  VectorSink sink;
  run_sweep(space, inputs.catalog, inputs.calibration, ids, sink);
  std::ostringstream out;
  out << "id,config_id,status,reason,tp,pp,dp,vpp,micro_batch,step_ps,step_no_slowdown_ps,mem_peak_bytes";
  for (const std::string_view part : time_category_names) out << ',' << part << "_ps";
  out << '\n';
  for (const Row& row : sink.rows) {
    const training::Degrees& d = row.config.degrees;
    const simulate::StepReport& r = row.report;
    out << row.id << ',' << std::hex << row.config_id << std::dec << ',' << static_cast<int>(r.status) << ','
        << static_cast<int>(r.reason) << ',' << d.tensor << ',' << d.pipeline << ',' << d.data << ','
        << d.virtual_stages << ',' << row.config.batch.micro_samples << ',' << r.step.count() << ','
        << r.step_no_slowdown.count() << ',' << r.memory_peak.value;
    for (const SimTime part : r.exposed) out << ',' << part.count();
    out << '\n';
  }
  return out.str();
}

class GoldenSweep : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenSweep, RowsAreWhatTheyWere) {
  const std::string base = support::source_dir() + "/tests/golden/" + GetParam();
  const std::string found = rows_of(base + ".toml");
  if (std::getenv("ECHO_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(base + ".csv") << found;
    return;
  }
  std::ifstream in(base + ".csv");
  const std::string expected(std::istreambuf_iterator<char>(in), {});
  ASSERT_FALSE(expected.empty()) << "no " << base << ".csv";
  std::istringstream a(expected), b(found);
  std::string want, got;
  for (int line = 1; std::getline(a, want); ++line) {
    ASSERT_TRUE(std::getline(b, got)) << "rows are missing from line " << line << " on";
    ASSERT_EQ(got, want) << GetParam() << ".csv:" << line;
  }
  EXPECT_FALSE(std::getline(b, got)) << "more rows than before";
}

INSTANTIATE_TEST_SUITE_P(Tiny, GoldenSweep,
                         ::testing::Values("dense_a100", "dense_h100", "schedules", "mixtures",
                                         "recomputation"),
                         [](const auto& param_info) { return std::string(param_info.param); });

}  // namespace
}  // namespace echo::sweep
