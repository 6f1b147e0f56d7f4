// The progress of a sweep, derived only from its journals, lock and claim pages; never writes: safe on any
// node at any time.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "parallel/launch/launch_lock.hpp"
#include "parallel/launch/quarantine.hpp"
#include "results/write/result_file.hpp"

namespace echo::parallel {

struct SweepStatus {
  enum class State : std::int8_t { absent, resumable, running, complete };
  State state = State::absent;
  std::string name, shard, rows_digest;  // digest of a complete file; otherwise ""
  std::string damage;  // why the file cannot be read, where journals have rows and a relaunch puts it aside
  std::int64_t total = 0, done = 0;         // points of the space or the shard
  std::array<std::int64_t, 5> by_status{};  // of the rows in journals, or of the file
  std::vector<results::Launch> launches;    // in journals
  std::int64_t torn_bytes = 0, journal_bytes = 0;
  std::optional<double> journal_age;      // seconds since the newest write
  std::optional<double> journal_seconds;  // from the newest launch's start to its newest write
  std::int64_t launch_rows = 0;           // of that launch
  std::optional<LockFacts> lock;
  Holder holder = Holder::gone;  // unknown: on another host
  Quarantine quarantine;  // quarantine of a relaunch, from the remaining claims; empty while one is running
};

[[nodiscard]] SweepStatus look_at(const std::filesystem::path& result_file);

// Rows per second of the newest launch, and seconds to the end at this rate; nothing if unknown.
[[nodiscard]] std::optional<double> rate_of(const SweepStatus&);
[[nodiscard]] std::optional<double> seconds_left(const SweepStatus&);

}  // namespace echo::parallel
