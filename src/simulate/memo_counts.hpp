// How often the memos of a workspace were asked and how often they knew: reported by `run --stats`, part of
// no row.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/at.hpp"
#include "base/bounded_memo.hpp"

namespace echo::simulate {

// One for each memo, in the order in which a config meets them.
enum class Memo : std::int8_t { admission, rank_layout, priced_work, blocks, pipelines };
inline constexpr std::array<std::string_view, 5> memo_names{"rules and memory", "rank layout",
                                                            "work and its prices", "blocks", "pipelines"};

struct MemoCounts {
  std::array<MemoCount, memo_names.size()> of{};  // [Memo]

  void count(Memo memo, bool known) {
    ++of[at(memo)].asked;
    of[at(memo)].known += known ? 1 : 0;
  }
  MemoCounts& operator+=(const MemoCounts& other) {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
    return *this;
  }
};

}  // namespace echo::simulate
