// A folder of journals in the temporary directory, gone when the test is over.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "parallel/journal/journal.hpp"
#include "tests/support/sample_rows.hpp"

namespace echo::parallel {

struct JournalFolder {
  JournalFolder()
      : folder(std::filesystem::temp_directory_path() / ("echo_journal_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder);
  }
  JournalFolder(const JournalFolder&) = delete;
  JournalFolder& operator=(const JournalFolder&) = delete;
  ~JournalFolder() { std::filesystem::remove_all(folder); }

  static JournalHeader header(std::int32_t launch, std::int32_t worker) {
    return {.sweep = {.sweep_key = "key", .ids = 100},
            .launch = launch,
            .worker = worker,
            .start = "2026-01-01T00:00:00Z"};
  }
  static sweep::Row sample(sweep::PointIndex id) { return results::sample_row(id).row; }
  static sweep::Row failed_row(sweep::PointIndex id) {
    sweep::Row row = sample(id);
    row.report = {};
    row.report.status = training::Status::failed;
    row.report.reason = training::Reason::internal_error;
    return row;
  }

  // One frame a row.
  void write_rows(std::int32_t launch, std::int32_t worker, const std::vector<sweep::Row>& rows,
                  bool ends_in_order = true) const {
    Journal journal(folder, header(launch, worker));
    for (const sweep::Row& row : rows) {
      journal.append({&row, 1});
      journal.flush();
    }
    if (ends_in_order) journal.close("done");
  }
  // Rows [first, last) by one worker of a launch.
  void write(std::int32_t launch, std::int32_t worker, sweep::PointIndex first, sweep::PointIndex last,
             bool ends_in_order = true) const {
    std::vector<sweep::Row> rows;
    for (sweep::PointIndex id = first; id < last; ++id) rows.push_back(sample(id));
    write_rows(launch, worker, rows, ends_in_order);
  }
  [[nodiscard]] std::filesystem::path file(int launch, int worker) const {
    return folder / worker_file_name(launch, worker, ".rows");
  }
  std::filesystem::path folder;
};

}  // namespace echo::parallel
