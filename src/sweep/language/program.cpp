// Compiling a sweep. Problem: a point has some thirty values, of which a file names a few; the rest follow
// from presets, from each other or from expressions, in an order that depends on the names in the file.
// Idea: every value is a slot, every rule and every default is a step that reads slots and may write one;
// steps are placed directly after the first dimension at which all slots they read are known, so that the
// search drops a whole subtree as soon as a rule can be evaluated.
#include "sweep/language/program.hpp"

#include <algorithm>
#include <array>

#include "base/at.hpp"
#include "base/error.hpp"
#include "sweep/language/place_steps.hpp"
#include "sweep/language/unit.hpp"
#include "sweep/language/vocabulary.hpp"

namespace echo::sweep {
namespace {

Type type_of(AxisKind kind) {
  if (is_text(kind)) return Type::text;
  if (kind == AxisKind::ratio) return Type::real;
  return kind == AxisKind::flag ? Type::boolean : Type::integer;
}

class Compiler final : public Symbols {
 public:
  Compiler(const SweepSpec& spec, const std::vector<Dimension>& dimensions, const simulate::Catalog& catalog,
           std::vector<RuleProblem>& problems)
      : spec_(spec), dimensions_(dimensions), catalog_(catalog), problems_(problems) {
    program_.slots = axis_count + 2;
  }

  Program whole() {
    resolve_dimensions();
    note_targets();
    imply_layout_rules();
    for (std::size_t i = 0; i < spec_.rules.size(); ++i) compile_rule(static_cast<std::int32_t>(i));
    imply_layout_test();
    for (std::size_t i = 0; i < spec_.limits.size(); ++i) compile_limit(i);
    imply_defaults();
    for (const Step& step : place_steps(program_, std::move(pending_))) blame_unplaced(step);
    return std::move(program_);
  }

  std::optional<Symbol> find(std::string_view name) override {
    for (const AxisInfo& info : axis_table) {
      if (info.name == name && info.kind != AxisKind::layer_list)
        return Symbol{slot_of(info.axis), type_of(info.kind)};
    }
    if (name == "global_batch_sequences") return Symbol{sequences_slot, Type::integer};
    if (name == "global_batch_tokens") return Symbol{tokens_slot, Type::integer};
    for (const auto& [known, symbol] : derived_) {
      if (known == name) return symbol;
    }
    const auto fields = preset_fields();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (fields[f].name == name)
        return Symbol{field_slot(static_cast<std::int32_t>(f)), fields[f].type, fields[f].unit};
    }
    return std::nullopt;
  }
  std::int64_t intern(std::string_view text) override {
    const auto at = std::find(program_.texts.begin(), program_.texts.end(), text);
    if (at != program_.texts.end()) return at - program_.texts.begin();
    program_.texts.emplace_back(text);
    return static_cast<std::int64_t>(program_.texts.size()) - 1;
  }
  // A word that an axis of words can never equal is a spelling mistake, not a rule that never applies.
  std::optional<ExpressionError> check_comparison(std::string_view name, std::string_view literal,
                                                  std::int32_t offset) override {
    for (const AxisInfo& info : axis_table) {
      if (info.name != name || !is_text(info.kind)) continue;
      auto words = vocabulary_of(info.axis, catalog_);
      if (words.empty() || std::find(words.begin(), words.end(), literal) != words.end()) continue;
      ExpressionError error{offset, std::max(1, static_cast<std::int32_t>(literal.size())), {}, {}, {}, {}};
      error.what = "unknown " + std::string(name) + " \"" + std::string(literal) + "\"";
      error.remedy = "name a known one";
      error.unknown_name = literal;
      error.known = std::move(words);
      return error;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool set(Axis axis) const { return given_[at(axis)] || derived_axis_[at(axis)]; }

  ResolvedValue resolve(Axis axis, const AxisValue& value) {
    const AxisKind kind = info_of(axis).kind;
    if (kind == AxisKind::ratio)
      return {{value.number, static_cast<double>(value.number) / 1000.0},
              static_cast<std::int32_t>(value.number)};
    if (kind == AxisKind::version || kind == AxisKind::words)
      return {{intern(value.text), 0.0}, static_cast<std::int32_t>(value.number)};
    if (!is_text(kind)) return {{value.number, 0.0}, static_cast<std::int32_t>(value.number)};
    const auto names = vocabulary_of(axis, catalog_);
    const auto found = std::find(names.begin(), names.end(), value.text);
    if (found == names.end()) {
      throw UserError("unknown " + std::string(info_of(axis).name) + " \"" + value.text + "\"",
                      "name a known one");
    }
    const std::ptrdiff_t first = axis == Axis::recipe ? -1 : 0;  // no recipe
    return {{intern(value.text), 0.0}, static_cast<std::int32_t>(found - names.begin() + first)};
  }

  void resolve_dimensions() {
    for (const Dimension& dimension : dimensions_) {
      std::vector<ResolvedColumn> columns;
      for (const AxisColumn& column : dimension.columns) {
        ResolvedColumn resolved{column.axis, {}};
        for (const AxisValue& value : column.values) resolved.values.push_back(resolve(column.axis, value));
        columns.push_back(std::move(resolved));
        given_[at(column.axis)] = true;
      }
      program_.dimensions.push_back(std::move(columns));
    }
    for (const auto& name : vocabulary_of(Axis::gpu, catalog_)) program_.gpu_texts.push_back(intern(name));
    for (const auto& name : vocabulary_of(Axis::recompute, catalog_))
      program_.recompute_texts.push_back(intern(name));
    for (std::int32_t r = -1; r < std::ssize(catalog_.recipes); ++r)
      for (std::int32_t f = 0; f < std::ssize(catalog_.frameworks); ++f)
        program_.framework_configs.emplace_back().recipe =
            catalog_.framework(training::FrameworkId(f), training::RecipeId(r)).recipe;
    for (const AxisInfo& info : axis_table)
      if (info.holder != AxisHolder::config) intern_words(info);
    const auto schedules = vocabulary_of(Axis::schedule, catalog_);
    for (std::size_t s = 0; s < schedules.size(); ++s) {
      program_.schedule_texts.push_back(intern(schedules[s]));
      if (schedules[s] == "1f1b") program_.plain_schedule = static_cast<std::int32_t>(s);
      if (schedules[s] == "interleaved") program_.interleaved_schedule = static_cast<std::int32_t>(s);
    }
  }
  void intern_words(const AxisInfo& info) {
    const training::AxisMember& member = training::member_of(info.axis);
    std::vector<std::int64_t>& texts = program_.word_texts[at(info.axis)];
    if (info.kind == AxisKind::preset || info.kind == AxisKind::word) {
      for (const std::string& name : vocabulary_of(info.axis, catalog_)) texts.push_back(intern(name));
    } else if (info.kind == AxisKind::words) {
      texts.assign(static_cast<std::size_t>(info.highest) + 1, -1);
      for (const training::TrainingConfig& framework : program_.framework_configs) {
        const std::int32_t bits = member.get(framework);
        texts[at(bits)] = intern(training::text_of_bits(member.words, bits));
      }
    }
  }
  void note_targets() {
    for (const Rule& rule : spec_.rules) {
      for (const AxisInfo& info : axis_table) {
        if (rule.kind == RuleKind::derive && rule.name == info.name) derived_axis_[at(info.axis)] = true;
      }
    }
  }

  std::int32_t new_rule(RuleName rule) {
    program_.rules.push_back(std::move(rule));
    return static_cast<std::int32_t>(program_.rules.size()) - 1;
  }
  Step& new_step(StepKind kind, std::int32_t writes, std::vector<std::int32_t> reads) {
    Step step;
    step.kind = kind;
    step.writes = writes;
    step.reads = std::move(reads);
    pending_.push_back(std::move(step));
    return pending_.back();
  }
  std::int32_t field_slot(std::int32_t field) {
    for (const Step& step : pending_) {
      if (step.kind == StepKind::field && step.field == field) return step.writes;
    }
    const Axis owner = preset_fields()[at(field)].owner;
    Step& step = new_step(StepKind::field, program_.slots++, {slot_of(owner)});
    step.field = field;
    step.axis = owner;
    return step.writes;
  }

  // Every implied rule has its place among the rules in every sub-space, so that counts can be added.
  void imply_layout_rules() {
    std::vector<std::int32_t> batch{slot_of(Axis::global_batch)};
    if (spec_.batch_in_tokens) batch.push_back(slot_of(Axis::seq_len));
    new_step(StepKind::sequences, sequences_slot, batch).rule =
        new_rule({"derive global_batch_sequences", true});
    new_step(StepKind::tokens, tokens_slot, {sequences_slot, slot_of(Axis::seq_len)});
    const std::int32_t dp_rule = new_rule({"derive dp", true}), gpus_rule = new_rule({"derive gpus", true});
    std::vector<std::int32_t> others{slot_of(Axis::tp), slot_of(Axis::pp), slot_of(Axis::cp)};
    if (!set(Axis::dp) && set(Axis::gpus)) {
      others.push_back(slot_of(Axis::gpus));
      new_step(StepKind::fill_dp, slot_of(Axis::dp), others).rule = dp_rule;
    } else if (!set(Axis::gpus)) {
      others.push_back(slot_of(Axis::dp));
      new_step(StepKind::fill_gpus, slot_of(Axis::gpus), others).rule = gpus_rule;
    }
  }
  void imply_layout_test() {
    const std::int32_t rule = new_rule({"gpus == tp * pp * cp * dp", true});
    if (!set(Axis::dp) || !set(Axis::gpus)) return;
    new_step(
        StepKind::layout_fits, -1,
        {slot_of(Axis::tp), slot_of(Axis::pp), slot_of(Axis::cp), slot_of(Axis::dp), slot_of(Axis::gpus)})
        .rule = rule;
  }

  void complain(std::int32_t rule, std::string what, std::string remedy) {
    const auto index = static_cast<std::size_t>(rule), rules = spec_.rules.size();
    const std::string& expression =
        index < rules ? spec_.rules[index].expression : bound_of(spec_.limits[index - rules]);
    const auto length = static_cast<std::int32_t>(expression.size());
    problems_.push_back({rule, {0, std::max(1, length), std::move(what), std::move(remedy), "", {}}, {}});
  }

  std::vector<std::string> known_names() const {
    std::vector<std::string> names;
    names.reserve(std::size(axis_table) + derived_.size() + preset_fields().size() + 7);
    for (const AxisInfo& info : axis_table) names.emplace_back(info.name);
    for (const auto& [name, symbol] : derived_) names.push_back(name);
    for (const PresetField& field : preset_fields()) names.emplace_back(field.name);
    names.insert(names.end(),
                 {"global_batch_sequences", "global_batch_tokens", "min", "max", "and", "or", "not"});
    return names;
  }

  void compile_rule(std::int32_t index) {
    const Rule& rule = spec_.rules[at(index)];
    const bool derives = rule.kind == RuleKind::derive;
    ExpressionError error;
    auto code = compile(rule.expression, *this, derives ? Division::exact : Division::real, error);
    if (!code) {
      const bool later = std::any_of(spec_.rules.begin(), spec_.rules.end(), [&](const Rule& other) {
        return other.kind == RuleKind::derive && other.name == error.unknown_name &&
               !error.unknown_name.empty();
      });
      if (later) error.remedy = "it is derived later; move its definition up", error.unknown_name.clear();
      problems_.push_back({index, error, error.known.empty() ? known_names() : error.known});
    } else if (!derives && code->type != Type::boolean) {
      complain(index, "a keep must be true or false", "compare something, as in \"tp <= 8\"");
    }
    if (derives) {
      target_of(index, code ? code->type : Type::integer, code ? std::move(*code) : Code{});
    } else if (code) {
      const std::int32_t rule_index = new_rule({rule.name, false, true, index});
      Step& step = new_step(StepKind::keep, -1, code->reads);
      step.rule = rule_index;
      step.code = std::move(*code);
    }
  }

  static const std::string& bound_of(const Limit& limit) { return limit.max.empty() ? limit.min : limit.max; }
  void compile_limit(std::size_t number) {
    const Limit& limit = spec_.limits[number];
    const auto index = static_cast<std::int32_t>(spec_.rules.size() + number);
    const Metric* metric = find_metric(limit.metric);
    if (metric == nullptr) {
      return complain(index, "unknown metric \"" + limit.metric + "\"", "choose a metric of the results");
    }
    ExpressionError error;
    auto bound = compile(bound_of(limit), *this, Division::real, error);
    if (!bound) {
      problems_.push_back({index, error, error.known.empty() ? known_names() : error.known});
    } else if (bound->type != Type::integer && bound->type != Type::real) {
      complain(index, "a bound of " + limit.metric + " must be a number", "write a number with its unit");
    } else if (bound->unit != metric->unit) {
      complain(index,
               limit.metric + " is in " + words_of(metric->unit) + ", but its bound is in " +
                   words_of(bound->unit),
               "give both the same unit");
    } else {
      program_.limits.push_back({metric, !limit.max.empty(), std::move(*bound)});
    }
  }

  void target_of(std::int32_t index, Type type, Code code) {
    const Rule& rule = spec_.rules[at(index)];
    std::int32_t slot = -1;
    Type wanted = type;
    std::int64_t low = INT64_MIN, high = INT64_MAX;
    for (const AxisInfo& info : axis_table) {
      if (info.name != rule.name) continue;
      if (is_text(info.kind) || info.kind == AxisKind::layer_list || info.kind == AxisKind::ratio) {
        complain(index, rule.name + " cannot be derived", "list its values in [space]");
      }
      slot = slot_of(info.axis);
      wanted = type_of(info.kind);
      if (info.kind == AxisKind::count || info.kind == AxisKind::batch) low = 1, high = INT32_MAX;
      if (info.kind == AxisKind::level) low = 0, high = info.highest;
      if (type != wanted) {
        const char* const remedy = wanted == Type::integer
                                       ? "it must be a whole number; // divides with floor"
                                       : "it must be true or false; write a comparison";
        complain(index, rule.name + " has the wrong type here", remedy);
      } else if (code.unit != plain) {
        complain(index, rule.name + " must be a plain number, but this is in " + words_of(code.unit),
                 "divide by a quantity of that kind, such as \"1 GiB\" or \"1 s\"");
      }
    }
    if (slot < 0) {
      slot = program_.slots++;
      derived_.emplace_back(rule.name, Symbol{slot, type, code.unit});
    }
    const bool divides = std::any_of(code.instructions.begin(), code.instructions.end(),
                                     [](const Instruction& i) { return i.op == Op::divide_exact; });
    const std::int32_t rule_index = new_rule({"derive " + rule.name, !divides, false, index});
    Step& step = new_step(StepKind::derive, slot, code.reads);
    step.rule = rule_index;
    step.target = wanted;
    step.low = low;
    step.high = high;
    step.code = std::move(code);
    source_of_step_.emplace_back(rule_index, index);
  }

  void imply_defaults() {
    const auto constant = [&](Axis axis, ResolvedValue value) {
      if (set(axis)) return;
      Step& step = new_step(StepKind::constant, slot_of(axis), {});
      step.axis = axis;
      step.value = value;
    };
    for (const Axis axis : {Axis::tp, Axis::pp, Axis::cp, Axis::ep, Axis::vpp, Axis::micro_batch}) {
      constant(axis, {{1, 0.0}, 1});
    }
    if (!set(Axis::etp)) {
      new_step(StepKind::own_expert_tensor, slot_of(Axis::etp), {slot_of(Axis::tp), slot_of(Axis::model)});
    }
    if (!set(Axis::gpus)) constant(Axis::dp, {{1, 0.0}, 1});
    for (const Axis axis : {Axis::embedding_is_layer, Axis::loss_is_layer}) constant(axis, {{0, 0.0}, 0});
    constant(Axis::nccl_version, {{intern(""), 0.0}, 0});
    constant(Axis::layer_split, {{-1, 0.0}, -1});
    constant(Axis::zero_group, {{0, 0.0}, 0});
    constant(Axis::precision, {{intern("bf16"), 0.0}, 0});
    if (!set(Axis::framework)) constant(Axis::framework, resolve(Axis::framework, {0, "megatron-core"}));
    if (!set(Axis::recipe)) constant(Axis::recipe, resolve(Axis::recipe, {0, training::no_recipe}));
    if (!set(Axis::gpu)) new_step(StepKind::own_gpu, slot_of(Axis::gpu), {slot_of(Axis::cluster)});
    if (!set(Axis::seq_len)) new_step(StepKind::own_seq_len, slot_of(Axis::seq_len), {slot_of(Axis::model)});
    if (!set(Axis::schedule)) {
      new_step(StepKind::own_schedule, slot_of(Axis::schedule), {slot_of(Axis::vpp), slot_of(Axis::pp)});
    }
    const auto as_framework = [&](Axis axis) {
      if (!set(axis))
        new_step(StepKind::framework_default, slot_of(axis),
                 {slot_of(Axis::framework), slot_of(Axis::recipe)})
            .axis = axis;
    };
    for (const Axis axis : {Axis::recompute, Axis::zero, Axis::sequence_parallel, Axis::flash_attention,
                            Axis::overlap_param_gather, Axis::overlap_p2p, Axis::overlap_tp})
      as_framework(axis);
    if (!set(Axis::overlap_grad_reduce))
      new_step(StepKind::framework_default, slot_of(Axis::overlap_grad_reduce),
               {slot_of(Axis::framework), slot_of(Axis::recipe), slot_of(Axis::zero)})
          .axis = Axis::overlap_grad_reduce;
    if (!set(Axis::overlaps_shared_experts))
      new_step(StepKind::framework_default, slot_of(Axis::overlaps_shared_experts),
               {slot_of(Axis::framework), slot_of(Axis::overlap_ep)})
          .axis = Axis::overlaps_shared_experts;
    for (const AxisInfo& info : axis_table)
      if (info.holder != AxisHolder::config && info.axis != Axis::overlaps_shared_experts)
        as_framework(info.axis);
  }

  void blame_unplaced(const Step& step) {
    for (const auto& [rule, index] : source_of_step_) {
      if (step.kind != StepKind::derive || step.rule != rule) continue;
      complain(index, spec_.rules[at(index)].name + " depends on itself, or on an axis without a value",
               "give one of the names it reads a value in [space]");
      problems_.back().valueless = true;
    }
  }

  const SweepSpec& spec_;
  const std::vector<Dimension>& dimensions_;
  const simulate::Catalog& catalog_;
  std::vector<RuleProblem>& problems_;
  Program program_;
  std::array<bool, axis_count> given_{}, derived_axis_{};
  std::vector<std::pair<std::string, Symbol>> derived_;
  std::vector<Step> pending_;
  std::vector<std::pair<std::int32_t, std::int32_t>> source_of_step_;  // waterfall rule, rule of the spec
};

}  // namespace

std::vector<Program> compile_program(const SweepSpec& spec, const simulate::Catalog& catalog,
                                     std::vector<RuleProblem>& problems) {
  std::vector<Program> programs;
  const auto add = [&](const std::vector<Dimension>& dimensions) {
    std::vector<RuleProblem> found;
    programs.push_back(Compiler(spec, dimensions, catalog, found).whole());
    for (RuleProblem& problem : found) {
      const bool told = std::any_of(problems.begin(), problems.end(), [&](const RuleProblem& other) {
        return other.rule == problem.rule && other.error.what == problem.error.what;
      });
      if (!told) problems.push_back(std::move(problem));
    }
  };
  if (spec.groups.empty()) add(spec.dimensions);
  for (const SubSpace& group : spec.groups) add(group.dimensions);
  return programs;
}

}  // namespace echo::sweep
