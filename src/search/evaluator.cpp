#include "search/evaluator.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "simulate/report/memory_fit.hpp"
#include "simulate/simulate.hpp"
#include "sweep/language/limits.hpp"

namespace echo::search {

using sweep::Axis;
using training::TrainingConfig;

namespace {

constexpr std::int64_t sets_of_a_part = 256;

// The chance below which no row is ranked. A row's chance is of single precision; the program's own least
// chance is compared before it is rounded.
double enough_of(double min_fit_chance) {
  return min_fit_chance > simulate::least_fit_chance ? min_fit_chance
                                                     : simulate::least_fit_chance * (1.0 - 1e-6);
}

}  // namespace

Evaluator::Evaluator(const OrderedSpace& space, const sweep::SweepSpec& spec,
                     const simulate::Catalog& catalog, const simulate::Calibration& calibration,
                     simulate::PacketMemory answers)
    : space_(space),
      spec_(spec),
      catalog_(catalog),
      known_(calibration),
      aims_(spec),
      enough_(enough_of(spec.min_fit_chance)),
      answers_(std::move(answers)),
      steps_(catalog, calibration, ws_),
      memory_(catalog, calibration, ws_),
      kept_(space.ordered()),
      cursor_(space.ordered()),
      members_(space.ordered()),
      filed_(space.filed()),
      repeats_(space.filed()) {
  start_again();
}

void Evaluator::start_again() {
  ws_ = simulate::Workspace();
  ws_.memo.packet_memory = answers_;
}

std::vector<Node> Evaluator::whole() {
  std::vector<Node> parts;
  for (std::size_t g = 0; g < space_.ordered().groups(); ++g) {
    const std::int64_t width = sets_of_a_part * space_.width(g, 0), end = space_.ordered().end(g);
    for (std::int64_t begin = space_.ordered().first(g); begin < end; begin += width) {
      Node part{.stretch = {begin, std::min(end, begin + width)},
                .group = static_cast<std::int32_t>(g),
                .tier = -1,
                .first_filed = space_.filed_of(g, begin)};
      part.members = kept_.of(part.stretch, space_.tiers(g).front());
      if (part.members > 0) parts.push_back(std::move(part));
    }
  }
  return parts;
}

Outcome Evaluator::run(const Node& node) {
  if (node.tier >= 0 && is_last(node)) return simulate_at(node.group, node.stretch.begin);
  if (node.tier >= 0 && nothing_fits(node)) {
    Outcome out{.parts = {node}};
    out.parts.front().fate = Fate::memory;
    return out;
  }
  Outcome out;
  const auto group = static_cast<std::size_t>(node.group);
  const std::int64_t width = space_.width(group, static_cast<std::size_t>(node.tier + 1)),
                     first = space_.ordered().first(group);
  for (std::int64_t raw = node.stretch.begin; cursor_.find(raw, node.stretch.end);) {
    const std::int64_t begin = first + (cursor_.raw() - first) / width * width;
    out.parts.push_back(look_at(node.group, node.tier + 1, begin));
    raw = begin + width;
  }
  return out;
}

Node Evaluator::look_at(std::int32_t group, std::int32_t tier, std::int64_t begin) {
  const auto g = static_cast<std::size_t>(group);
  if (static_cast<std::size_t>(tier + 1) == space_.tiers(g).size()) return point_at(group, begin);
  return set_at(group, tier, {begin, begin + space_.width(g, static_cast<std::size_t>(tier))});
}

std::vector<std::int64_t> Evaluator::slice_of(const TrainingConfig& config) const {
  std::vector<std::int64_t> values;
  for (const Axis axis : space_.per()) {
    const training::AxisMember& member = training::member_of(axis);
    values.push_back(member.get == nullptr ? training::gpus_of(config.degrees) : member.get(config));
  }
  return values;
}

Node Evaluator::set_at(std::int32_t group, std::int32_t tier, Stretch stretch) {
  const auto g = static_cast<std::size_t>(group);
  Node node{
      .stretch = stretch, .group = group, .tier = tier, .first_filed = space_.filed_of(g, stretch.begin)};
  node.members = kept_.of(stretch, space_.tiers(g)[static_cast<std::size_t>(tier)]);
  try {
    bound_set(node);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // a bug of one member: it has its own row, and the set no bound
    node.least = {no_bound, no_bound};
    start_again();
  }
  return node;
}

// A config like the members but for open axes that breaks no rule; nothing where none of them does.
std::optional<TrainingConfig> Evaluator::supported_member(const Node& node, const bounds::OpenAxes& open) {
  const bool found = members_.find(node.stretch.begin, node.stretch.end);
  ECHO_EXPECT(found);
  TrainingConfig member = config_of(members_.state(), catalog_);
  if (!catalog_.model(member.model).trace.is_none() || bounds::reach_of(open.axes) == bounds::Reach::all)
    return member;
  const std::int32_t rule =
      ws_.admissions
          .of(sweep::normalised(member, catalog_), catalog_, known_.errors, ws_.step.layout, ws_.counts)
          .rule;
  if (rule == 0) return member;
  if (!bounds::depends_on(rule, open.axes)) return std::nullopt;
  const auto memory = memory_.of_set(member, open, 0.0);
  if (!memory) return member;  // it has no bound then
  if (!memory->any) return std::nullopt;
  return memory->admitted;
}

void Evaluator::bound_set(Node& node) {
  const auto g = static_cast<std::size_t>(node.group);
  const bounds::OpenAxes& open = space_.open(g, static_cast<std::size_t>(node.tier));
  const auto member = supported_member(node, open);
  if (!member) {
    node.fate = Fate::unsupported;
    return;
  }
  const sweep::AxisSet may_differ = open.axes | bounds::sometimes_idle();
  node.is_sliced = std::ranges::none_of(space_.per(), [&](Axis axis) { return may_differ.test(at(axis)); });
  if (node.is_sliced) node.slice = slice_of(sweep::normalised(*member, catalog_));
  if (bounds::reach_of(open.axes) == bounds::Reach::all) return;
  const auto step = steps_.of_set(*member, open.axes);
  std::optional<bounds::MemoryBound> memory;
  if (aims_.needs_memory()) memory = memory_.of_set(*member, open, 2.0);
  const bool has_peak = memory && memory->any;
  node.least =
      aims_.least_costs(*member, catalog_, step ? &*step : nullptr, has_peak ? &memory->least_peak : nullptr);
}

bool Evaluator::nothing_fits(const Node& node) {
  const auto g = static_cast<std::size_t>(node.group);
  const bounds::OpenAxes& open = space_.open(g, static_cast<std::size_t>(node.tier));
  if (bounds::reach_of(open.axes) == bounds::Reach::all) return false;
  const bool found = members_.find(node.stretch.begin, node.stretch.end);
  ECHO_EXPECT(found);
  const auto memory = memory_.of_set(config_of(members_.state(), catalog_), open, enough_);
  return memory && memory->most_chance < enough_;
}

Node Evaluator::point_at(std::int32_t group, std::int64_t raw) {
  const auto g = static_cast<std::size_t>(group);
  Node node{.stretch = {raw, raw + 1},
            .group = group,
            .tier = static_cast<std::int32_t>(space_.tiers(g).size()) - 1,
            .members = 1,
            .first_filed = space_.filed_of(g, raw)};
  const bool found = filed_.find(node.first_filed, node.first_filed + 1);
  ECHO_EXPECT(found);
  if (repeats_.is_repeat(filed_)) {
    node.fate = Fate::repeat;
    return node;
  }
  const TrainingConfig& config = repeats_.config_of(filed_);
  node.is_sliced = true;
  node.slice = slice_of(config);
  if (!catalog_.model(config.model).trace.is_none()) return node;
  try {
    const simulate::Admission admission =
        ws_.admissions.of(config, catalog_, known_.errors, ws_.step.layout, ws_.counts);
    if (admission.rule != 0)
      node.fate = Fate::unsupported;
    else if (!admission.fits || static_cast<double>(admission.fit_chance) < spec_.min_fit_chance)
      node.fate = Fate::memory;
    if (node.fate != Fate::open) return node;
    const auto step = steps_.of_point(config);
    node.least = aims_.least_costs(config, catalog_, step ? &*step : nullptr, &admission.memory_peak);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {  // as in set_at
    node.least = {no_bound, no_bound};
    start_again();
  }
  return node;
}

Outcome Evaluator::simulate_at(std::int32_t group, std::int64_t raw) {
  const auto g = static_cast<std::size_t>(group);
  Outcome out;
  Node& node = out.parts.emplace_back(Node{.stretch = {raw, raw + 1},
                                           .group = group,
                                           .tier = static_cast<std::int32_t>(space_.tiers(g).size()) - 1,
                                           .members = 1,
                                           .first_filed = space_.filed_of(g, raw),
                                           .fate = Fate::simulated});
  const bool found = filed_.find(node.first_filed, node.first_filed + 1);
  ECHO_EXPECT(found);
  sweep::Row row;
  row.config = repeats_.config_of(filed_);
  node.is_sliced = true;
  node.slice = slice_of(row.config);
  try {
    row.report = simulate::simulate(row.config, catalog_, known_, ws_, spec_.run.work_budget, spec_.skew);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    row.report = {};
    row.report.status = training::Status::failed;
    start_again();
  }
  apply_limits(space_.filed().program(filed_.group()), filed_.state(), catalog_, spec_.terms, row);
  out.is_failed = row.report.status == training::Status::failed;
  const bool fits = !(static_cast<double>(row.report.fit_chance) < spec_.min_fit_chance);
  const bool is_trace = !catalog_.model(row.config.model).trace.is_none();
  out.is_eligible = row.report.status == training::Status::ok && (fits || is_trace);
  if (row.report.status == training::Status::ok)
    node.least = aims_.costs_of({row.config, row.report, catalog_, spec_.terms});
  return out;
}

std::vector<std::int64_t> Evaluator::some_members(const Node& node, std::uint64_t seed, std::int64_t most) {
  std::vector<std::int64_t> found;
  const std::int64_t length = node.stretch.end - node.stretch.begin;
  for (std::int64_t i = 0; i < most; ++i) {
    const double unit =
        draw_unit(seed, static_cast<std::uint64_t>(node.stretch.begin), static_cast<std::uint64_t>(i));
    const std::int64_t from =
        node.stretch.begin + static_cast<std::int64_t>(unit * static_cast<double>(length));
    if (members_.find(from, node.stretch.end) || members_.find(node.stretch.begin, node.stretch.end))
      found.push_back(members_.raw());
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace echo::search
