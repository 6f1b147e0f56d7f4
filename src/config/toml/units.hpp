// Parses quantities with units: "80 GiB", "400 Gb/s", "989.4 TFLOP/s", "3 h 30 min", "4 Mi tokens".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace echo::config {

enum class UnitKind { bytes, bytes_per_second, flops_per_second, duration, power, count, tokens };

struct UnitProblem {
  std::string what, remedy;
};

// In bytes, bytes/s, FLOP/s, seconds, watts, or plain counts. SI (kB = 1000) and binary (KiB = 1024)
// prefixes, bits (b) and bytes (B) are all distinguished; a value without its unit is a problem that suggests
// the readings it could have. `key` names the value in messages.
[[nodiscard]] std::optional<long double> parse_quantity(std::string_view text, UnitKind, std::string_view key,
                                                        UnitProblem& problem);

// `a size, such as "1 GiB"`
[[nodiscard]] std::string example_of(UnitKind kind);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // without spaces at its ends

// The problem of a bare number where a unit is due.
[[nodiscard]] UnitProblem missing_unit(std::string_view number, UnitKind, std::string_view key);

}  // namespace echo::config
