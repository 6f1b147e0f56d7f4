// A disk that is full while a result file is written: wherever that happens, it is an error, not a crash, and
// leaves the older file as it was and nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "results/write/result_file.hpp"
#include "tests/support/limited_files.hpp"
#include "tests/support/sample_rows.hpp"
#include "tests/support/sanitized.hpp"

namespace echo::results {
namespace {

void write(const std::filesystem::path& path, std::int64_t rows) {
  RowsInMemory stream(sample_rows(rows));
  (void)write_results(path, stream, sample_catalog(), {"sample", "A sample", "00ff"},
                      {.program = "echo-sweep"});
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(FullDisk, EndsInAnErrorWhereverItIsFull) {
  const auto folder = std::filesystem::temp_directory_path() / ("echo_full_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto path = folder / "result.h5";
  write(path, 10);
  const std::string older = bytes_of(path);
  write(folder / "whole.h5", 300);
  const std::uint64_t whole = std::filesystem::file_size(folder / "whole.h5");
  std::filesystem::remove(folder / "whole.h5");
  const std::uint64_t step = support::is_sanitized ? 60'013 : 4099;
  for (std::uint64_t room = 0; room < whole; room += room < 4096 && !support::is_sanitized ? 512 : step) {
    const std::string outcome = testing::outcome_with_files_of(room, [&] { write(path, 300); });
    ASSERT_EQ(outcome.substr(0, 7), "exit 5:") << room << " of " << whole << ": " << outcome;
    ASSERT_NE(outcome.find("File too large"), std::string::npos) << outcome;
    ASSERT_EQ(bytes_of(path), older) << room;
    ASSERT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "litter at " << room;
  }
  EXPECT_EQ(testing::outcome_with_files_of(2 * whole, [&] { write(path, 300); }), "exit 0");
  EXPECT_EQ(std::filesystem::file_size(path), whole);
  std::filesystem::remove_all(folder);
}

TEST(FullDisk, AFileThatCannotTakeItsNameLeavesNothing) {
  const auto folder = std::filesystem::temp_directory_path() / ("echo_named_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "result.h5" / "inside");
  const std::string outcome =
      testing::outcome_with_files_of(RLIM_INFINITY, [&] { write(folder / "result.h5", 10); });
  EXPECT_EQ(outcome.substr(0, 7), "exit 5:") << outcome;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "litter";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace echo::results
