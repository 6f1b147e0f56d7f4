// Values of a config's members as whole numbers and back, by the member's type (AxisMember). For the table
// that is generated from axes.toml alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/at.hpp"
#include "base/id.hpp"
#include "base/named_table.hpp"
#include "machine/topology.hpp"
#include "training/axis.hpp"
#include "training/config.hpp"

namespace echo::training {

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
constexpr std::int32_t code_of(T value) { return static_cast<std::int32_t>(value); }
template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
constexpr void set_code(T& member, std::int32_t code) { member = static_cast<T>(code); }

// Nothing: 0.
template <class T>
constexpr std::int32_t code_of(const std::optional<T>& value) {
  return value ? code_of(*value) + 1 : 0;
}
template <class T>
constexpr void set_code(std::optional<T>& member, std::int32_t code) {
  member.reset();
  if (code > 0) member = static_cast<T>(code - 1);
}

template <class Tag>
constexpr std::int32_t code_of(Id<Tag> value) {
  return value.index();
}
template <class Tag>
constexpr void set_code(Id<Tag>& member, std::int32_t code) {
  member = Id<Tag>(code);
}

// NICs and switches: "cluster", none, comes first among the names.
constexpr std::int32_t code_of(machine::NicId value) { return value.index() + 1; }
constexpr std::int32_t code_of(machine::SwitchId value) { return value.index() + 1; }
constexpr void set_code(machine::NicId& member, std::int32_t code) { member = machine::NicId(code - 1); }
constexpr void set_code(machine::SwitchId& member, std::int32_t code) {
  member = machine::SwitchId(code - 1);
}

// A topology by its place among the words of its axis, which a plug-in more does not move; none: 0.
inline std::int32_t code_of(machine::TopologyId value) {
  if (value.is_none()) return 0;
  const auto words = member_of(Axis::topology).words;
  const std::string_view name = machine::topology_table()[at(value.index())]->name;
  return static_cast<std::int32_t>(std::find(words.begin(), words.end(), name) - words.begin());
}
inline void set_code(machine::TopologyId& member, std::int32_t code) {
  member = {};
  if (code > 0)
    member =
        machine::TopologyId(find_named(machine::topology_table(), member_of(Axis::topology).words[at(code)]));
}

constexpr bool are_same(std::span<const std::string_view> words, std::span<const std::string_view> names) {
  return std::ranges::equal(words, names);
}

}  // namespace echo::training
