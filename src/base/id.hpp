// Index into a table of things named by Tag; never mixes with another table's index or with plain integers.
#pragma once

#include <compare>
#include <cstdint>

namespace echo {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;  // "none"
  explicit constexpr Id(std::int32_t index) : index_(index) {}
  [[nodiscard]] constexpr std::int32_t index() const { return index_; }
  [[nodiscard]] constexpr bool is_none() const { return index_ < 0; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::int32_t index_ = -1;
};

}  // namespace echo
