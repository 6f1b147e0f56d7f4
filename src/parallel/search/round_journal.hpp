// The rounds of a search that are done, in a file beside the result: a relaunch takes their outcomes from
// there and goes on. A frame (journal/journal_frames.hpp) of each round: the hash of its tasks, the outcomes. A
// torn last frame is dropped. Rounds do not depend on the number of workers, so that another number may go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parallel/platform/disk.hpp"
#include "search/task.hpp"

namespace echo::parallel {

// FILE.h5.search
[[nodiscard]] std::filesystem::path round_journal_of(const std::filesystem::path& file);

class RoundJournal {
 public:
  // `key`: of the sweep; what another sweep wrote is discarded. UserError 5 where the file cannot be written.
  RoundJournal(Disk&, std::filesystem::path path, const std::string& key);

  // The outcomes of the next round, if the journal has them and they are of these tasks.
  [[nodiscard]] std::optional<std::vector<search::Outcome>> next(std::span<const search::Node> tasks);
  void append(std::span<const search::Node> tasks, const std::vector<search::Outcome>&);
  [[nodiscard]] std::int64_t rounds_found() const { return static_cast<std::int64_t>(frames_.size()); }
  // After the result file is whole.
  static void remove(Disk&, const std::filesystem::path&);

 private:
  void begin_file(std::size_t frames);
  Disk& disk_;
  std::filesystem::path path_;
  std::string head_;
  std::vector<std::string> frames_;  // payloads, in order
  std::size_t used_ = 0;
  std::unique_ptr<DiskFile> out_;
};

}  // namespace echo::parallel
