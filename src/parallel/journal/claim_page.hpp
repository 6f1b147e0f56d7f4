// The current point of a worker, stored so that it outlives the worker: one mapped page of a file. Storing a
// number costs nanoseconds, and the kernel writes the page back even if the process dies. A fatal signal adds
// its number. The points of a killed launch are read from its pages (quarantine.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "parallel/journal/journal.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

inline constexpr sweep::PointIndex no_point = -1;

class ClaimPage {
 public:
  // Makes the .claim beside a worker's journal, in the folder that is there. UserError 5 when it cannot.
  ClaimPage(const std::filesystem::path& folder, const JournalHeader&, Disk& = real_disk(),
            Host& = real_host());
  ClaimPage(const ClaimPage&) = delete;
  ClaimPage& operator=(const ClaimPage&) = delete;
  ~ClaimPage();  // removes it: this worker ended in order

  void hold(sweep::PointIndex point) noexcept { *point_ = point; }
  void let_go() noexcept { *point_ = no_point; }

 private:
  struct Page;
  friend std::optional<struct Claim> parse_claim(std::string_view);
  std::filesystem::path path_;
  Disk& disk_;
  Host& host_;
  std::unique_ptr<DiskPage> mapped_;
  volatile sweep::PointIndex* point_ = nullptr;
};

// The contents of a page on disk. `signal` 0: none reached the process (SIGKILL cannot be seen, nor can a
// lost node).
struct Claim {
  std::string sweep_key;
  std::int32_t launch = 0, worker = 0, signal = 0;
  sweep::PointIndex point = no_point;
};
[[nodiscard]] std::optional<Claim> read_claim(const std::filesystem::path&,
                                              Disk& = real_disk());  // nothing: not a page of ours
[[nodiscard]] std::optional<Claim> parse_claim(std::string_view bytes);

}  // namespace echo::parallel
