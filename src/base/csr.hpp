// Compressed rows: a ragged array as one flat vector of values and one of offsets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/at.hpp"

namespace echo {

template <class T>
struct Csr {
  std::vector<std::int32_t> offset{0};  // [rows + 1]
  std::vector<T> value;                 // [offset.back()]

  [[nodiscard]] std::int32_t rows() const { return static_cast<std::int32_t>(offset.size()) - 1; }
  [[nodiscard]] std::span<const T> row(std::int32_t i) const {
    const std::size_t begin = at(offset[at(i)]), end = at(offset[at(i) + 1]);
    return std::span<const T>(value).subspan(begin, end - begin);
  }
  template <class Tag>
  [[nodiscard]] std::span<const T> row(Id<Tag> id) const {
    return row(id.index());
  }
  // Values are pushed onto the open last row; close_row ends it.
  void push(T v) { value.push_back(v); }
  void close_row() { offset.push_back(static_cast<std::int32_t>(value.size())); }
  void clear() { offset.assign(1, 0), value.clear(); }
  friend bool operator==(const Csr&, const Csr&) = default;
};

}  // namespace echo
