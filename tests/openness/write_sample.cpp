// write_sample FILE.h5: a result file in which every group and every kind of value occurs.
#include <cstdio>

#include "base/error.hpp"
#include "results/write/result_file.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo::results {
namespace {

constexpr std::int64_t rows = 5000;

// Timed rows past a limit, one row that failed, one with its own layer split; errors of a few percent.
std::vector<FinishedRow> varied_rows() {
  auto all = sample_rows(rows);
  for (FinishedRow& finished : all) {
    sweep::Row& row = finished.row;
    if (row.report.step > SimTime::zero()) {
      row.report.error.fill(0.01F);
      row.report.rel_error = 0.03F, row.report.rel_error_p90 = 0.04F;
    }
    row.report.mem_rel_error = 0.05F;
    if (row.id % 3 == 0 && row.id % 5 == 0) {
      row.report.status = training::Status::infeasible;
      row.report.reason = training::Reason::limit;
      row.limit = static_cast<std::int32_t>(row.id % 2);
      row.limit_excess = 0.25;
    }
  }
  all[7].row.report = {.status = training::Status::failed, .reason = training::Reason::internal_error};
  all[9].row.config.layers.explicit_layers = training::LayerTableId(0);
  return all;
}

void write(const char* path) {
  auto catalog = sample_catalog();
  catalog.layer_tables = {{8, 10, 10, 8}};
  const FileHeader header{.name = "sample",
                          .title = "Every group — und ein Umlaut: ä",
                          .sweep_key = "00",
                          .row_key = "01",
                          .code_key = "02",
                          .catalog_key = "03",
                          .calibration_key = "04",
                          .space_key = "05",
                          .terms = {.target_tokens = 1e12},
                          .settings = {.slowdown = "auto", .contention = "flow"},
                          .objectives = {{"train_time", sweep::Goal::min}, {"mem_peak", sweep::Goal::min}},
                          .limit_names = {"deadline", "cheap"}};
  const Provenance provenance{.program = "write_sample",
                              .version = "1",
                              .sweep_toml = "schema = 1\n",
                              .resolved_toml = "schema = 1\n",
                              .inputs = {{"zeta", "models/zeta.toml", "ab"}},
                              .launches = {{0, 2, "2026-01-01T00:00:00Z", "", 5000, "done"}},
                              .failures = {{7, 0, "a promise was broken"}, {7, 1, "größer als gedacht"}}};
  RowsInMemory stream(varied_rows());
  write_results(path, stream, catalog, header, provenance);
}

}  // namespace
}  // namespace echo::results

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: write_sample FILE.h5\n"), 2;
  try {
    echo::results::write(argv[1]);
  } catch (const echo::UserError& error) {
    return std::fprintf(stderr, "error: %s\n", error.what()), error.exit_code();
  }
  return 0;
}
