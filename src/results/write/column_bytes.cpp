#include "results/write/column_bytes.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/lane.hpp"
#include "results/write/fill.hpp"
#include "training/memory/memory.hpp"

namespace echo::results {
namespace {

template <class T>
void put(T value, std::vector<std::byte>& out) {
  const auto at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T>
void put_integer(std::int64_t value, std::vector<std::byte>& out) {
  ECHO_ENSURE(std::in_range<T>(value));
  put(static_cast<T>(value), out);
}

template <class T>
void put_real(double value, std::vector<std::byte>& out) {
  put(std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(value), out);
}

void put_as(storage::ElementType type, std::int64_t value, std::vector<std::byte>& out) {
  switch (type) {
    case storage::ElementType::i1:
      return put_integer<std::int8_t>(value, out);
    case storage::ElementType::i2:
      return put_integer<std::int16_t>(value, out);
    case storage::ElementType::i4:
      return put_integer<std::int32_t>(value, out);
    case storage::ElementType::i8:
    case storage::ElementType::u8:  // all 64 bits travel as they are
      return put(value, out);
    case storage::ElementType::f4:
    case storage::ElementType::f8:
      break;
  }
  ECHO_ENSURE(!storage::is_real(type));  // an integer filler meets no real column
}

void put_as(storage::ElementType type, double value, std::vector<std::byte>& out) {
  ECHO_ENSURE(storage::is_real(type));
  return type == storage::ElementType::f4 ? put_real<float>(value, out) : put_real<double>(value, out);
}

}  // namespace

const char* name_of(Role role) {
  static constexpr std::array<const char*, 5> names{"scale", "input", "outcome", "metric", "breakdown"};
  return names[at(role)];
}

std::int64_t width_of(const Column& column) {
  const std::string_view dimension = column.dimension;
  if (dimension.empty()) return 1;
  ECHO_EXPECT(dimension == "part" || dimension == "mem_part");
  return dimension == "part" ? time_category_count : training::memory_part_count;
}

void column_bytes(const Column& column, std::span<const FinishedRow> rows,
                  std::span<const std::int64_t> places, const FileContext& file,
                  std::vector<std::byte>& out) {
  ECHO_EXPECT(rows.size() == places.size());
  out.clear();
  std::array<double, time_category_count> parts{};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Context context{rows[r].row, file.catalog, file.terms, places[r]};
    if (column.filler->integer != nullptr) {
      const std::int64_t value = column.filler->integer(context);
      put_as(column.type, names_a_table(column) ? file.codes.code(column.names, value) : value, out);
    } else if (column.filler->real != nullptr) {
      put_as(column.type, column.filler->real(context), out);
    } else {
      column.filler->parts(context, parts.data());
      for (std::int64_t i = 0; i < width_of(column); ++i) put_as(column.type, parts[at(i)], out);
    }
  }
}

}  // namespace echo::results
