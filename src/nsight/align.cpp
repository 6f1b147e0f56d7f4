// Myers' greedy difference (Algorithmica 1, 1986): after `apart` unmatched elements, what is the furthest
// place reached along each diagonal first - second = k? Runs of one program differ little, so the end is
// soon reached.
#include "nsight/align.hpp"

#include <algorithm>

namespace echo::nsight {
namespace {

class Search {
 public:
  Search(std::span<const std::int32_t> first, std::span<const std::int32_t> second)
      : first_(first), second_(second) {}

  std::optional<std::vector<Match>> run(std::int32_t most_apart) {
    for (std::int32_t apart = 0; apart <= most_apart; ++apart) {
      reach_.emplace_back(static_cast<std::size_t>(apart) + 1);
      for (std::int32_t k = -apart; k <= apart; k += 2) {
        const std::int32_t x = slide(start(apart, k), k);
        at(apart, k) = x;
        if (x >= std::ssize(first_) && x - k >= std::ssize(second_)) return matches(apart, k);
      }
    }
    return std::nullopt;
  }

 private:
  // Furthest place in `first` on diagonal k after `apart` unmatched elements; k = -apart, -apart + 2, ...
  std::int32_t& at(std::int32_t apart, std::int32_t k) {
    return reach_[static_cast<std::size_t>(apart)][static_cast<std::size_t>((k + apart) / 2)];
  }
  // Whether the last unmatched element was one of `second`: one diagonal further left, whichever is farther.
  bool came_down(std::int32_t apart, std::int32_t k) {
    return k == -apart || (k != apart && at(apart - 1, k - 1) < at(apart - 1, k + 1));
  }
  std::int32_t start(std::int32_t apart, std::int32_t k) {
    if (apart == 0) return 0;
    return came_down(apart, k) ? at(apart - 1, k + 1) : at(apart - 1, k - 1) + 1;
  }
  [[nodiscard]] std::int32_t slide(std::int32_t x, std::int32_t k) const {
    while (x < std::ssize(first_) && x - k < std::ssize(second_) && x - k >= 0 &&
           first_[static_cast<std::size_t>(x)] == second_[static_cast<std::size_t>(x - k)])
      ++x;
    return x;
  }

  std::vector<Match> matches(std::int32_t apart, std::int32_t k) {
    std::vector<Match> out;
    for (;; --apart) {
      for (std::int32_t x = at(apart, k); x > start(apart, k); --x) out.push_back({x - 1, x - 1 - k});
      if (apart == 0) break;
      k += came_down(apart, k) ? 1 : -1;
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::span<const std::int32_t> first_, second_;
  std::vector<std::vector<std::int32_t>> reach_;  // [apart][diagonal]
};

}  // namespace

std::optional<std::vector<Match>> align(std::span<const std::int32_t> first,
                                        std::span<const std::int32_t> second, std::int32_t most_apart) {
  return Search(first, second).run(most_apart);
}

}  // namespace echo::nsight
