// The communication kernels that a kernel ran beside.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "overlaps/profile.hpp"

namespace echo::overlaps {

struct Beside {
  std::int32_t longest = -1;        // the activity with the longest overlap, the earliest of equals; -1: none
  std::int32_t count = 0;           // of those that overlap at all
  std::vector<std::int32_t> names;  // texts, each once, in the order of the texts themselves
};

class Communication {
 public:
  explicit Communication(const Profile&);
  // Throws UserError, 2, where kernels of one stream overlap each other so much that no GPU ran them.
  [[nodiscard]] Beside beside(std::int64_t begin, std::int64_t end) const;

 private:
  struct Stream {
    std::vector<std::int32_t> activities;  // by start
    std::vector<std::int64_t> latest;      // [activity] the latest end of it and those before it
  };
  const Profile& profile_;
  std::map<std::int64_t, Stream> streams_;
  mutable std::int64_t looked_at_ = 0;
};

}  // namespace echo::overlaps
