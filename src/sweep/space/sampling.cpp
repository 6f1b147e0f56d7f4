// Sampling points. Problem: draw N different survivors, each as likely as any other, from a space that
// cannot be listed. Idea: where survivors can be counted (SurvivorRanks), draw ranks; where they are few,
// rank all points by a random key and take the first N; else draw raw combinations and reject. A combination
// that repeats an earlier config is rejected, so that each config counts once. Sobol points are in the unit
// cube over the axes; each corresponds to one raw combination, and those that rules remove or that occurred
// before are left out: the rest is spread as the sequence is.
#include "sweep/space/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/at.hpp"
#include "base/contract.hpp"
#include "base/counter_rng.hpp"
#include "base/error.hpp"
#include "sweep/space/raw_cursor.hpp"
#include "sweep/space/repeats.hpp"
#include "sweep/space/sobol.hpp"
#include "sweep/space/survivor_ranks.hpp"

namespace echo::sweep {

namespace {

constexpr std::int64_t counting_budget = 4'000'000;       // values tried: a few seconds
constexpr std::int64_t listable = std::int64_t{1} << 20;  // survivors that are listed rather than drawn
constexpr std::int64_t trials_at_least = std::int64_t{1} << 22;  // a few seconds
constexpr std::int64_t trials_for_each = 256;

// Uniform in [0, range), without the bias of a remainder.
std::int64_t draw_below(std::int64_t range, std::uint64_t seed, std::uint64_t number) {
  const auto size = static_cast<std::uint64_t>(range);
  const std::uint64_t whole = UINT64_MAX - UINT64_MAX % size;  // the largest multiple of it
  for (std::uint64_t again = 0;; ++again) {
    const std::uint64_t drawn = draw(mix(seed + again), 0x5A3B1E, number);
    if (drawn < whole) return static_cast<std::int64_t>(drawn % size);
  }
}

// Collects different points until there are enough.
class Sample {
 public:
  Sample(const SweepSpec& spec, const RawSpace& space)
      : wanted_(spec.search.points), cursor_(space), repeats_(space) {}
  [[nodiscard]] bool is_full() const { return static_cast<std::int64_t>(found_.size()) == wanted_; }
  [[nodiscard]] std::int64_t most_trials() const { return trials_at_least + trials_for_each * wanted_; }
  void offer(std::int64_t raw) {
    if (cursor_.find(raw, raw + 1) && !repeats_.is_repeat(cursor_) && seen_.insert(raw).second)
      found_.push_back(raw);
  }
  std::vector<std::int64_t> sorted(std::int64_t trials) {
    if (!is_full()) {
      throw UserError(
          fmt::format("[search] found only {} of {} points in {} trials", found_.size(), wanted_, trials),
          "use fewer points, or choose axis values so that the rules reject fewer");
    }
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  std::int64_t wanted_;
  RawCursor cursor_;
  RepeatTest repeats_;
  std::unordered_set<std::int64_t> seen_;  // looked up, never iterated
  std::vector<std::int64_t> found_;
};

[[noreturn]] void too_many(std::int64_t wanted, std::int64_t there_are) {
  throw UserError(fmt::format("[search] wants {} points, but the space has only {}", wanted, there_are),
                  "use fewer points, or run all with strategy = \"grid\"");
}

// All points under a random key: those with the smallest keys.
std::vector<std::int64_t> smallest_keys(const SweepSpec& spec, const RawSpace& space) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> keyed;
  RawCursor cursor(space);
  RepeatTest repeats(space);
  for (bool found = cursor.find(0, space.size()); found; found = cursor.next(space.size())) {
    if (!repeats.is_repeat(cursor))
      keyed.emplace_back(draw(spec.seed, 0x5E1EC7, static_cast<std::uint64_t>(cursor.raw())), cursor.raw());
  }
  const std::size_t wanted = at(spec.search.points);
  if (keyed.size() < wanted) too_many(spec.search.points, static_cast<std::int64_t>(keyed.size()));
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::int64_t> raws;
  for (std::size_t i = 0; i < wanted; ++i) raws.push_back(keyed[i].second);
  std::sort(raws.begin(), raws.end());
  return raws;
}

std::vector<std::int64_t> random_points(const SweepSpec& spec, const RawSpace& space,
                                        std::optional<SurvivorRanks> ranks) {
  if (ranks && ranks->size() <= listable) return smallest_keys(spec, space);
  Sample sample(spec, space);
  std::int64_t trial = 0;
  for (; !sample.is_full() && trial < sample.most_trials(); ++trial) {
    const auto number = static_cast<std::uint64_t>(trial);
    sample.offer(ranks ? ranks->raw_at(draw_below(ranks->size(), spec.seed, number))
                       : draw_below(space.size(), spec.seed, number));
  }
  return sample.sorted(trial);
}

std::vector<std::int64_t> sobol_points(const SweepSpec& spec, const RawSpace& space) {
  std::size_t axes = 0;
  for (std::size_t g = 0; g < space.groups(); ++g) axes = std::max(axes, space.program(g).dimensions.size());
  const std::size_t for_group = space.groups() > 1 ? 1 : 0;  // one more coordinate chooses the sub-space
  const Sobol sequence(axes + for_group, spec.seed);
  std::vector<std::uint32_t> point(axes + for_group);
  const auto scaled = [](std::uint32_t coordinate, std::int64_t size) {
    return static_cast<std::int64_t>(
        static_cast<unsigned __int128>(coordinate) * static_cast<unsigned __int128>(size) >> 32);
  };
  Sample sample(spec, space);
  std::vector<std::int64_t> digits;
  std::int64_t trial = 0;
  for (; !sample.is_full() && trial < sample.most_trials(); ++trial) {
    sequence.point(static_cast<std::uint64_t>(trial), point);
    const std::size_t g = for_group == 0 ? 0 : space.group_of(scaled(point[0], space.size()));
    digits.clear();
    for (std::size_t d = 0; d < space.program(g).dimensions.size(); ++d)
      digits.push_back(scaled(point[d + for_group], space.program(g).size_of(d)));
    sample.offer(space.raw_of(g, digits));
  }
  return sample.sorted(trial);
}

}  // namespace

std::vector<std::int64_t> sample_points(const SweepSpec& spec, const RawSpace& space) {
  ECHO_EXPECT(draws_points(spec.search.strategy));
  if (spec.search.points <= 0)
    throw UserError("[search] has no number of points", "add, for example, points = 1000");
  if (space.size() < spec.search.points) too_many(spec.search.points, space.size());
  std::optional<SurvivorRanks> ranks = SurvivorRanks::of(space, counting_budget);
  if (ranks && ranks->size() < spec.search.points) too_many(spec.search.points, ranks->size());
  return spec.search.strategy == Strategy::random ? random_points(spec, space, std::move(ranks))
                                                  : sobol_points(spec, space);
}

}  // namespace echo::sweep
