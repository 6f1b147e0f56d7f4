// Reading quantities.
// Problem: "400" of bandwidth may be 400 gigabits or 400 gigabytes, and "80 GB" is not 80 GiB; a simulator
// that guesses is wrong by 8x or by 7 %. Idea: units are written out and case-sensitive; every unit is a
// name, a kind and a factor to SI, built from prefixes times bases. Values are held in long double, exact for
// integers below 2^63.
#include "config/toml/units.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

#include "config/toml/did_you_mean.hpp"

namespace echo::config {
namespace {

struct Prefix {
  std::string_view name;
  long double factor;
};
constexpr std::array<Prefix, 12> prefixes{{{"", 1.0L},
                                           {"k", 1e3L},
                                           {"K", 1e3L},
                                           {"M", 1e6L},
                                           {"G", 1e9L},
                                           {"T", 1e12L},
                                           {"P", 1e15L},
                                           {"Ki", 0x1p10L},
                                           {"Mi", 0x1p20L},
                                           {"Gi", 0x1p30L},
                                           {"Ti", 0x1p40L},
                                           {"Pi", 0x1p50L}}};
struct Base {
  std::string_view name;
  UnitKind kind;
  long double factor;
  bool prefixed;
};
constexpr std::array<Base, 28> bases{{{"B", UnitKind::bytes, 1.0L, true},
                                      {"b", UnitKind::bytes, 0.125L, true},
                                      {"bit", UnitKind::bytes, 0.125L, true},
                                      {"B/s", UnitKind::bytes_per_second, 1.0L, true},
                                      {"b/s", UnitKind::bytes_per_second, 0.125L, true},
                                      {"bit/s", UnitKind::bytes_per_second, 0.125L, true},
                                      {"FLOP/s", UnitKind::flops_per_second, 1.0L, true},
                                      {"FLOPS", UnitKind::flops_per_second, 1.0L, true},
                                      {"ps", UnitKind::duration, 1e-12L, false},
                                      {"ns", UnitKind::duration, 1e-9L, false},
                                      {"us", UnitKind::duration, 1e-6L, false},
                                      {"\u00b5s", UnitKind::duration, 1e-6L, false},
                                      {"ms", UnitKind::duration, 1e-3L, false},
                                      {"s", UnitKind::duration, 1.0L, false},
                                      {"min", UnitKind::duration, 60.0L, false},
                                      {"h", UnitKind::duration, 3600.0L, false},
                                      {"d", UnitKind::duration, 86400.0L, false},
                                      {"W", UnitKind::power, 1.0L, true},
                                      {"", UnitKind::count, 1.0L, true},
                                      {"B", UnitKind::count, 1e9L, false},
                                      {"token", UnitKind::tokens, 1.0L, false},
                                      {"tokens", UnitKind::tokens, 1.0L, false},
                                      {"k tokens", UnitKind::tokens, 1e3L, false},
                                      {"M tokens", UnitKind::tokens, 1e6L, false},
                                      {"B tokens", UnitKind::tokens, 1e9L, false},
                                      {"T tokens", UnitKind::tokens, 1e12L, false},
                                      {"Ki tokens", UnitKind::tokens, 0x1p10L, false},
                                      {"Mi tokens", UnitKind::tokens, 0x1p20L, false}}};

struct Words {
  std::string_view noun, first, second;
};

// The name of the kind, and the two readings suggested for a number without a unit.
Words words_of(UnitKind kind) {
  switch (kind) {
    case UnitKind::bytes:
      return {"size", "GiB", "GB"};
    case UnitKind::bytes_per_second:
      return {"bandwidth", "Gb/s", "GB/s"};
    case UnitKind::flops_per_second:
      return {"rate of arithmetic", "TFLOP/s", "GFLOP/s"};
    case UnitKind::duration:
      return {"duration", "us", "s"};
    case UnitKind::power:
      return {"power", "W", "kW"};
    case UnitKind::count:
      return {"count", "M", "k"};
    case UnitKind::tokens:
      return {"number of tokens", "tokens", "Mi tokens"};
  }
  return {"", "", ""};
}

std::string shown(long double value) {
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<double>(value)).ptr;
  return {buffer.data(), end};
}

std::string readings(std::string_view number, UnitKind kind) {
  const Words words = words_of(kind);
  const std::string value(number);
  std::string first = "\"" + value + " " + std::string(words.first) + "\"";
  if (kind == UnitKind::bytes_per_second) {  // confusing bits and bytes is the mistake to prevent
    double parsed = 0.0;
    std::from_chars(number.data(), number.data() + number.size(), parsed);
    first += " (= " + shown(parsed / 8.0L) + " GB/s)";
  }
  return "write " + first + " or \"" + value + " " + std::string(words.second) + "\"";
}

std::vector<std::string> names_of(UnitKind kind) {
  std::vector<std::string> names;
  for (const Base& base : bases) {
    if (base.kind != kind) continue;
    for (const Prefix& prefix : prefixes) {
      if (base.prefixed || prefix.name.empty())
        names.push_back(std::string(prefix.name) + std::string(base.name));
    }
  }
  return names;
}

// Factor of the unit called `name` of this kind, if it is one; otherwise `kind` is set to the kind of the
// name.
std::optional<long double> factor_of(std::string_view name, UnitKind wanted, std::optional<UnitKind>& other) {
  for (const Base& base : bases) {
    if (!name.ends_with(base.name)) continue;
    const std::string_view head = name.substr(0, name.size() - base.name.size());
    for (const Prefix& prefix : prefixes) {
      if (head != prefix.name || (!prefix.name.empty() && !base.prefixed)) continue;
      if (base.kind == wanted) return base.factor * prefix.factor;
      if (base.kind != UnitKind::count) other = base.kind;
    }
  }
  return std::nullopt;
}

// The number at the front of `text`, which loses it; underscores may group digits.
std::optional<long double> take_number(std::string_view& text, std::string& spelt) {
  std::size_t length = 0;
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++length;
  while (digit(length) || (length < text.size() && (text[length] == '.' || text[length] == '_'))) ++length;
  const bool exponent = length > 0 && length < text.size() && (text[length] == 'e' || text[length] == 'E');
  const bool sign =
      exponent && length + 1 < text.size() && (text[length + 1] == '-' || text[length + 1] == '+');
  if (exponent && digit(length + 1 + (sign ? 1 : 0))) {
    length += sign ? 2 : 1;
    while (digit(length)) ++length;
  }
  spelt = std::string(text.substr(0, length));
  std::string digits;
  for (const char c : spelt) {
    if (c != '_' && c != '+') digits += c;
  }
  long double value = 0.0L;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

// The unit at the front: up to the next digit for durations (compound), otherwise the rest of the text.
std::string_view take_unit(std::string_view& text, UnitKind kind) {
  std::size_t length = text.size();
  if (kind == UnitKind::duration) {
    length = 0;
    while (length < text.size() && !std::isdigit(static_cast<unsigned char>(text[length]))) ++length;
  }
  const std::string_view unit = trimmed(text.substr(0, length));
  text.remove_prefix(length);
  return unit;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string example_of(UnitKind kind) {
  const Words words = words_of(kind);
  return "a " + std::string(words.noun) + ", such as \"1 " + std::string(words.first) + "\"";
}

UnitProblem missing_unit(std::string_view number, UnitKind kind, std::string_view key) {
  return {std::string(key) + " needs a unit: it is a " + std::string(words_of(kind).noun),
          readings(number, kind)};
}

std::optional<long double> parse_quantity(std::string_view text, UnitKind kind, std::string_view key,
                                          UnitProblem& problem) {
  const std::string whole(text);
  std::string_view rest = trimmed(text);
  long double total = 0.0L;
  bool any = false;
  while (!rest.empty() || !any) {
    std::string spelt;
    const auto number = take_number(rest, spelt);
    if (!number) {
      problem = {"\"" + whole + "\" is not a " + std::string(words_of(kind).noun),
                 "write a number and a unit, such as \"1 " + std::string(words_of(kind).first) + "\""};
      return std::nullopt;
    }
    const std::string_view unit = take_unit(rest, kind);
    std::optional<UnitKind> other;
    const auto factor = factor_of(unit, kind, other);
    if (!factor) {
      if (unit.empty()) {
        problem = missing_unit(spelt, kind, key);
      } else if (other) {
        problem = {"\"" + whole + "\" is a " + std::string(words_of(*other).noun) + ", but " +
                       std::string(key) + " is a " + std::string(words_of(kind).noun),
                   readings(spelt, kind)};
      } else {
        problem = {"unknown unit \"" + std::string(unit) + "\" for " + std::string(key),
                   suggest(unit, names_of(kind), "units of a " + std::string(words_of(kind).noun))};
      }
      return std::nullopt;
    }
    total += *number * *factor;
    any = true;
    rest = trimmed(rest);
  }
  return total;
}

}  // namespace echo::config
