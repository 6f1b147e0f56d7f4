#include "sweep/language/unit.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace echo::sweep {
namespace {

struct Prefix {
  std::string_view name;
  std::int64_t factor;
};
constexpr std::array<Prefix, 12> prefixes{{{"", 1},
                                           {"k", 1'000},
                                           {"K", 1'000},
                                           {"M", 1'000'000},
                                           {"G", 1'000'000'000},
                                           {"T", 1'000'000'000'000},
                                           {"P", 1'000'000'000'000'000},
                                           {"Ki", 1LL << 10},
                                           {"Mi", 1LL << 20},
                                           {"Gi", 1LL << 30},
                                           {"Ti", 1LL << 40},
                                           {"Pi", 1LL << 50}}};

struct Base {
  std::string_view name;
  NamedUnit meaning;
  bool prefixed;
};
constexpr std::array<Base, 21> bases{{{"B", {in_bytes, 1, 1}, true},
                                      {"b", {in_bytes, 1, 8}, true},
                                      {"bit", {in_bytes, 1, 8}, true},
                                      {"FLOP", {{0, 0, 1}, 1, 1}, true},
                                      {"FLOPS", {flops_per_second, 1, 1}, true},
                                      {"ps", {in_seconds, 1, 1'000'000'000'000}, false},
                                      {"ns", {in_seconds, 1, 1'000'000'000}, false},
                                      {"us", {in_seconds, 1, 1'000'000}, false},
                                      {"ms", {in_seconds, 1, 1'000}, false},
                                      {"s", {in_seconds, 1, 1}, false},
                                      {"min", {in_seconds, 60, 1}, false},
                                      {"h", {in_seconds, 3'600, 1}, false},
                                      {"d", {in_seconds, 86'400, 1}, false},
                                      {"J", {in_joules, 1, 1}, true},
                                      {"Wh", {in_joules, 3'600, 1}, true},
                                      {"W", {in_watts, 1, 1}, true},
                                      {"g", {in_kilograms, 1, 1'000}, true},
                                      {"t", {in_kilograms, 1'000, 1}, false},
                                      {"token", {plain, 1, 1}, false},
                                      {"tokens", {plain, 1, 1}, false},
                                      {"", {plain, 1, 1}, true}}};  // 4 Mi

std::optional<Unit> combined(Unit left, Unit right, int sign) {
  constexpr int most = 9;
  Unit out;
  for (const auto part : {&Unit::bytes, &Unit::seconds, &Unit::flops, &Unit::joules, &Unit::kilograms}) {
    const int exponent = left.*part + sign * right.*part;
    if (std::abs(exponent) > most) return std::nullopt;
    out.*part = static_cast<std::int8_t>(exponent);
  }
  return out;
}

void append_power(std::string& text, std::string_view name, int exponent) {
  if (exponent == 0) return;
  if (!text.empty()) text += "*";
  text += name;
  if (exponent != 1) text += "^" + std::to_string(exponent);
}

}  // namespace

std::optional<Unit> times(Unit left, Unit right) { return combined(left, right, 1); }
std::optional<Unit> over(Unit left, Unit right) { return combined(left, right, -1); }

std::string words_of(Unit unit) {
  if (unit == plain) return "a plain number";
  if (unit == in_seconds) return "seconds";
  if (unit == per_second) return "1/s";
  if (unit == in_joules) return "joules";
  if (unit == in_watts) return "watts";
  if (unit == in_kilograms) return "kilograms";
  std::string text;
  append_power(text, "bytes", unit.bytes);
  append_power(text, "FLOP", unit.flops);
  append_power(text, "J", unit.joules);
  append_power(text, "kg", unit.kilograms);
  if (unit.seconds == -1 && !text.empty()) return text + "/s";
  append_power(text, "s", unit.seconds);
  return text;
}

std::optional<NamedUnit> find_unit(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const Base& base : bases) {
    if (!name.ends_with(base.name)) continue;
    const std::string_view head = name.substr(0, name.size() - base.name.size());
    for (const Prefix& prefix : prefixes) {
      if (head != prefix.name || (!prefix.name.empty() && !base.prefixed)) continue;
      NamedUnit meaning = base.meaning;
      meaning.numerator *= prefix.factor;
      return meaning;
    }
  }
  return std::nullopt;
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  names.reserve(bases.size() * prefixes.size());
  for (const Base& base : bases) {
    for (const Prefix& prefix : prefixes) {
      const bool exists = base.prefixed || prefix.name.empty();
      if (exists && !(base.name.empty() && prefix.name.empty()))
        names.push_back(std::string(prefix.name) + std::string(base.name));
    }
  }
  return names;
}

}  // namespace echo::sweep
