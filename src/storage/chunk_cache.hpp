// Chunks of a file as they were last unpacked. Summaries read the same columns again and again, and a single
// row costs the whole chunk that it is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace echo::storage {

class ChunkCache {
 public:
  using Values = std::vector<std::byte>;
  explicit ChunkCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // The chunk of a dataset that begins at row `first`, or null. Valid until the next keep() or clear().
  [[nodiscard]] const Values* find(const void* dataset, std::uint64_t first) const;
  // Contract: find() returns null. `values` becomes a buffer of unknown contents. Where there is no room,
  // chunks in places that are drawn make way: of scans over more than there is room for, a part is found.
  void keep(const void* dataset, std::uint64_t first, Values& values);
  void clear() { kept_.clear(), bytes_ = 0; }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    const void* dataset;
    std::uint64_t first;
    Values values;
  };
  std::size_t most_bytes_, bytes_ = 0;
  std::uint64_t drawn_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace echo::storage
