// A sweep as its file says it: names and numbers only, so that it can be broadcast. Nothing is resolved yet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sweep/axis.hpp"

namespace echo::sweep {

// A name (presets, words, versions) or a number (counts, flags, layer tables by index; -1 = even split).
struct AxisValue {
  std::int64_t number = 0;
  std::string text;
  friend bool operator==(const AxisValue&, const AxisValue&) = default;
};

struct AxisColumn {
  Axis axis{};
  std::vector<AxisValue> values;
  friend bool operator==(const AxisColumn&, const AxisColumn&) = default;
};

// One crossed dimension: an axis, or several of equal length that are zipped.
struct Dimension {
  std::vector<AxisColumn> columns;
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(columns.front().values.size()); }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

enum class RuleKind : std::int8_t { derive, keep };
struct Rule {
  RuleKind kind{};
  std::string name;  // derive: the name it defines; keep: the rule's own name
  std::string expression;
  std::string why;
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct SweepSpec {
  std::string name, title, output_file;
  std::int64_t schema = 1, seed = 0;
  std::vector<Dimension> dimensions;  // file order; the first changes slowest
  std::vector<Rule> rules;            // file order
  bool batch_in_tokens = false;       // global_batch counts tokens, not sequences
  friend bool operator==(const SweepSpec&, const SweepSpec&) = default;
};

}  // namespace echo::sweep
