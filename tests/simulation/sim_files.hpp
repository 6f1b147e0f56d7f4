// Result files of the simulation: as much of one as launches look at, on the simulated disk. The order in
// which they are made, read back, moved and removed is the launch's own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parallel/platform/disk.hpp"
#include "parallel/platform/result_files.hpp"

namespace echo::simulation {

struct SimRow {
  std::int64_t number = 0;
  std::uint64_t config_id = 0;
  std::int64_t status = 0, payload = 0;
};

struct SimContents {
  results::FileState state;
  std::vector<SimRow> rows;
  std::int32_t next_launch = 0;
};

[[nodiscard]] std::string written(const SimContents&);
[[nodiscard]] std::optional<SimContents> parsed(const std::string& bytes);  // nothing: damaged
[[nodiscard]] SimRow sim_row(const sweep::Row&);

class SimFiles : public parallel::ResultFiles {
 public:
  explicit SimFiles(parallel::Disk& disk) : disk_(disk) {}
  bool refuses_damaged = false;  // as before damaged snapshots were put aside
  [[nodiscard]] std::optional<results::FileState> state(const std::filesystem::path&) const override;
  [[nodiscard]] std::unique_ptr<results::EarlierRows> open(const std::filesystem::path&) const override;
  [[nodiscard]] bool is_of_another_program(const std::filesystem::path&) const override { return false; }
  results::WriteSummary build(const std::filesystem::path& unfinished,
                              const parallel::FileContents&) const override;
  void verify(const std::filesystem::path&, const results::WriteSummary&) const override;

 private:
  [[nodiscard]] SimContents read(const std::filesystem::path&) const;
  parallel::Disk& disk_;
};

}  // namespace echo::simulation
