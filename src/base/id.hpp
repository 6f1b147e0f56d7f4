// Index into a table of things named by Tag; never mixes with another table's index or with plain integers.
#pragma once

#include <compare>
#include <cstdint>

namespace echo {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;  // none
  explicit constexpr Id(std::int32_t index) : index_(index) {}
  [[nodiscard]] static constexpr Id none() { return Id(); }
  [[nodiscard]] constexpr std::int32_t index() const { return index_; }
  [[nodiscard]] constexpr bool is_none() const { return index_ < 0; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::int32_t index_ = -1;
};

template <class AnId>
class IdRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(std::int32_t index) : index_(index) {}
    constexpr AnId operator*() const { return AnId(index_); }
    constexpr Iterator& operator++() { return ++index_, *this; }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    std::int32_t index_;
  };
  explicit constexpr IdRange(std::int32_t count) : count_(count < 0 ? 0 : count) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(0); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(count_); }

 private:
  std::int32_t count_;
};

// The ids of the first `count` places, in order: for (const OpId op : ids<OpId>(graph.size())).
template <class AnId>
[[nodiscard]] constexpr IdRange<AnId> ids(std::int32_t count) {
  return IdRange<AnId>(count);
}

}  // namespace echo
