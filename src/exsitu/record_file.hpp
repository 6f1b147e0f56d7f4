// A file to which any thread of a process appends records. It is mapped piece by piece and records are
// written in place, so that the kernel has them at once: a killed process loses only unfinished records.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "exsitu/record.hpp"

namespace echo::exsitu {

class RecordFile {
 public:
  static constexpr std::size_t piece_bytes = std::size_t{1} << 20;
  static constexpr std::uint64_t records_per_piece = piece_bytes / 64;
  static constexpr std::uint64_t most_pieces = 16384;

  // Where it cannot be made, says so once and drops everything.
  RecordFile(const std::string& path, std::int64_t most_bytes, const FileHeader&);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  // Each returns the record's serial, 0 where there was no room.
  template <class Line>
  std::uint64_t put(const Line& line) {
    const std::uint64_t at = next_.fetch_add(1, std::memory_order_relaxed);
    return write(at, &line);
  }
  // In records one behind the other. At least one, and no more than 65536 bytes of it.
  void put_text(What, std::uint32_t owner, std::string_view text);

  [[nodiscard]] std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t write(std::uint64_t at, const void* line);
  std::byte* map_piece(std::uint64_t piece);
  void drop();

  std::string path_;
  int file_ = -1;
  std::uint64_t pieces_ = 0;            // as many as may be mapped
  std::atomic<std::uint64_t> next_{1};  // record 0 is the header
  std::atomic<std::uint64_t> dropped_{0};
  std::array<std::atomic<std::byte*>, most_pieces> mapped_{};
  std::mutex mapping_;
};

// Nanoseconds of CLOCK_MONOTONIC, the clock of all records.
[[nodiscard]] std::int64_t monotonic_ns();

// Filled in but for the library's version.
[[nodiscard]] FileHeader header_of_process();

// The file of this process by `pattern`, made at first use, and afresh in a child that it forked.
[[nodiscard]] RecordFile& nccl_records();

}  // namespace echo::exsitu
