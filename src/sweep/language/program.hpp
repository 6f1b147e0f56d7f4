// A sub-space of a sweep compiled against a catalog: the layout of slots, and the steps that fill slots and
// test rules.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/catalog.hpp"
#include "sweep/language/expression.hpp"
#include "sweep/language/metric.hpp"
#include "sweep/language/preset_fields.hpp"
#include "sweep/spec.hpp"

namespace echo::sweep {

inline constexpr std::int32_t no_rule = INT32_MAX;

// One value of one axis, resolved: `value` for expressions, `preset` the catalog index (or table index)
// behind a name.
struct ResolvedValue {
  Scalar value;
  std::int32_t preset = -1;
};
struct ResolvedColumn {
  Axis axis{};
  std::vector<ResolvedValue> values;
};

// The action of a step once all its inputs are known.
enum class StepKind : std::int8_t {
  constant,           // an axis nobody set: a fixed value
  framework_default,  // an axis nobody set: what the framework says, with the recipe laid over it
  own_gpu,            // gpu = the cluster's
  own_seq_len,        // seq_len = the model's max_positions
  own_expert_tensor,  // etp = tp for a mixture of experts (Megatron's default), 1 for a dense model
  own_schedule,       // interleaved where there are virtual stages to interleave, else 1f1b
  fill_gpus,          // gpus = tp * pp * dp * cp; must fit 32 bits
  fill_dp,            // dp = gpus / (tp * pp * cp); must be exact
  sequences,          // global batch in sequences; must be exact where it is given in tokens
  tokens,             // global batch in tokens
  field,              // a preset's field
  layout_fits,        // gpus and dp both given: the product must agree
  derive,
  keep
};

struct Step {
  StepKind kind{};
  Axis axis{};                                     // of constants and defaults
  std::int32_t writes = -1;                        // slot, -1 = none (tests)
  std::int32_t rule = no_rule;                     // its place in the waterfall, if it can drop a point
  std::int32_t field = -1;                         // of preset_fields()
  Type target = Type::integer;                     // of derive: what the slot wants
  std::int64_t low = INT64_MIN, high = INT64_MAX;  // of derive: what the axis admits
  ResolvedValue value;                             // of constant
  Code code;                                       // of derive and keep
  std::vector<std::int32_t> reads;
};

struct RuleName {
  std::string name;
  bool implied = false;      // not written in the file; shown only when it removes something
  bool tests = false;        // a [[keep]]: it is there to remove something
  std::int32_t source = -1;  // of SweepSpec::rules, -1: none
};

// A bound of SweepSpec::limits; `bound` is in the unit of the metric and reads slots of a filled point.
struct CompiledLimit {
  const Metric* metric = nullptr;
  bool is_max = true;
  Code bound;
};

struct Program {
  std::vector<std::vector<ResolvedColumn>> dimensions;  // [dimension][zipped column]
  std::vector<std::vector<Step>> steps;  // [0]: before any axis is fixed; [d + 1]: once dimension d is fixed
  std::vector<RuleName> rules;           // the same list in every sub-space of a sweep
  std::vector<CompiledLimit> limits;     // [SweepSpec::limits]
  std::vector<std::string> texts;        // [Scalar::number of a text]
  std::int32_t slots = 0;
  // Texts of names that steps write: [catalog gpu], [recompute], [schedule].
  std::vector<std::int64_t> gpu_texts, recompute_texts, schedule_texts;
  // [recipe + 1][framework] What they give the axes of the recipe, and the usual fabric those of the fabric.
  std::vector<training::TrainingConfig> framework_configs;
  // [axis][value] of those axes, where written as words; of joined words, those that frameworks start from.
  std::array<std::vector<std::int64_t>, axis_count> word_texts;
  std::int32_t plain_schedule = -1, interleaved_schedule = -1;  // indices of the two default schedules

  [[nodiscard]] std::int64_t size_of(std::size_t dimension) const {
    return static_cast<std::int64_t>(dimensions[dimension].front().values.size());
  }
};

// Slots of the axes come first, then these two, then derived names and preset fields.
inline constexpr std::int32_t sequences_slot = axis_count;
inline constexpr std::int32_t tokens_slot = axis_count + 1;
[[nodiscard]] constexpr std::int32_t slot_of(Axis axis) { return static_cast<std::int32_t>(axis); }

// Where an expression is wrong; `known` are the names it could have meant.
struct RuleProblem {
  std::int32_t rule = 0;  // of SweepSpec::rules; those of SweepSpec::limits are counted on from there
  ExpressionError error;
  std::vector<std::string> known;
  bool valueless =
      false;  // it reads what never gets a value; maybe for want of an axis that has its own problem
};

// Compiles every sub-space: one program for each group, or the one of SweepSpec::dimensions. What cannot be
// is reported, each problem once, and the programs are then not to be used. Throws UserError for a name or a
// default the catalog lacks.
[[nodiscard]] std::vector<Program> compile_program(const SweepSpec&, const simulate::Catalog&,
                                                   std::vector<RuleProblem>& problems);

}  // namespace echo::sweep
