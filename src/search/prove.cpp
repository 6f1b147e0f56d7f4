#include "search/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "base/at.hpp"
#include "base/counter_rng.hpp"
#include "search/incumbents.hpp"

namespace echo::search {

namespace {

constexpr const char* fate_names[] = {"open", "unsupported", "memory", "repeat", "bound", "simulated"};

class Prover {
 public:
  Prover(const Certificate& certificate, const sweep::SweepSpec& spec, const OrderedSpace& space,
         Evaluator& evaluator)
      : given_(certificate),
        space_(space),
        evaluator_(evaluator),
        aims_(spec),
        kept_(space.ordered()),
        found_(spec.search, aims_.count()) {}

  Proof run(std::int64_t sample, std::uint64_t seed) {
    check_counts();
    if (proof_.problem.empty()) check_cover();
    if (proof_.problem.empty()) simulate_points();
    for (const Node& set : given_.sets) {
      if (!proof_.problem.empty()) return proof_;
      check_set(set);
      ++proof_.sets;
    }
    if (proof_.problem.empty()) check_moments();
    if (proof_.problem.empty()) draw_members(sample, seed);
    return proof_;
  }

 private:
  template <class... Parts>
  void refuse(fmt::format_string<Parts...> form, Parts&&... parts) {
    if (proof_.problem.empty()) proof_.problem = fmt::format(form, std::forward<Parts>(parts)...);
  }
  void refuse_set(const Node& set, const std::string& what) {
    refuse("the set of combinations {} to {} ({}): {}", set.stretch.begin, set.stretch.end - 1,
           fate_names[at(static_cast<int>(set.fate))], what);
  }

  void check_counts() {
    if (given_.combinations != space_.ordered().size())
      refuse("the space has {} combinations, not {}", space_.ordered().size(), given_.combinations);
    if (const std::int64_t kept = kept_.whole(); kept != given_.kept)
      refuse("the rules of the sweep keep {} combinations, not {}", kept, given_.kept);
    std::int64_t sum = 0;
    for (const Node& set : given_.sets) sum += set.members;
    if (sum != given_.kept) refuse("the sets have {} members together, not {}", sum, given_.kept);
  }

  // Sets do not overlap, begin and end at borders of their tier, and have the members that they say. With
  // their sum, no combination is left out.
  void check_cover() {
    std::int64_t last = 0;
    for (const Node& set : given_.sets) {
      const bool has_group = set.group >= 0 && at(set.group) < space_.ordered().groups();
      if (!has_group || set.tier < 0 || at(set.tier) >= space_.tiers(at(set.group)).size())
        return refuse_set(set, "there is no such sub-space or tier");
      const std::int64_t first = space_.ordered().first(at(set.group)),
                         end = space_.ordered().end(at(set.group));
      const std::int64_t width = space_.width(at(set.group), at(set.tier));
      if (set.stretch.begin < std::max(last, first) || set.stretch.end > end ||
          set.stretch.end <= set.stretch.begin || (set.stretch.begin - first) % width != 0 ||
          (set.stretch.end - first) % width != 0)
        return refuse_set(set, "it overlaps another, or does not begin and end at sets of its tier");
      last = set.stretch.end;
      const std::int64_t members = kept_.of(set.stretch, space_.tiers(at(set.group))[at(set.tier)]);
      if (members != set.members)
        return refuse_set(set, fmt::format("it has {} members, not {}", members, set.members));
    }
  }

  void simulate_points() {
    std::int64_t failed = 0;
    for (const Node& set : given_.sets) {
      if (set.fate != Fate::simulated) continue;
      const Outcome outcome = evaluator_.simulate_at(set.group, set.stretch.begin);
      const Node& point = outcome.parts.front();
      ++proof_.simulated;
      failed += outcome.is_failed ? 1 : 0;
      if (point.least != set.least || point.first_filed != set.first_filed)
        return refuse_set(set, "simulated again, the point has other values");
      if (outcome.is_eligible) found_.add(point.slice, {point.least, point.first_filed});
    }
    if (failed != given_.failed) refuse("{} simulated points fail, not {}", failed, given_.failed);
    if (found_.points() != given_.points) refuse("the best of the simulated points are other ones");
  }

  void check_set(const Node& set) {
    if (set.fate == Fate::simulated) return;
    Costs least{std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    sweep::RawCursor cursor(space_.ordered());
    const std::int64_t width = space_.width(at(set.group), at(set.tier)),
                       first = space_.ordered().first(at(set.group));
    std::int64_t first_filed = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t raw = set.stretch.begin; cursor.find(raw, set.stretch.end);) {
      const std::int64_t begin = first + (cursor.raw() - first) / width * width;
      raw = begin + width;
      const Node again = evaluator_.look_at(set.group, set.tier, begin);
      first_filed = std::min(first_filed, again.first_filed);
      for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], again.least[i]);
      if (const char* const wrong = what_is_wrong(set, again)) return refuse_set(set, wrong);
    }
    if (first_filed != set.first_filed) return refuse_set(set, "its first member has another number");
    if (set.fate != Fate::bound && set.fate != Fate::open) return;
    ++proof_.bounds;
    if (least != set.least)
      return refuse_set(set, fmt::format("its bound is {:.17g}, not {:.17g}", least[0], set.least[0]));
    if (set.fate == Fate::bound && !found_.excludes(set)) refuse_set(set, "a member could be among the best");
    if (set.fate == Fate::open && !found_.excludes(set)) check_gap(set);
  }

  const char* what_is_wrong(const Node& set, const Node& again) {
    switch (set.fate) {
      case Fate::unsupported:
      case Fate::repeat:
        return again.fate == set.fate ? nullptr : "a member is none of these";
      case Fate::memory:
        if (again.fate == Fate::memory) return nullptr;
        return again.fate == Fate::open && evaluator_.nothing_fits(again) ? nullptr : "a member fits";
      case Fate::bound:
      case Fate::open:
        if (again.is_sliced != set.is_sliced || again.slice != set.slice) return "it is of another slice";
        return nullptr;
      case Fate::simulated:
        break;
    }
    return nullptr;
  }

  void check_gap(const Node& set) {
    const double best = found_.best_of(set), gap = (best - set.least[0]) / std::fabs(best);
    if (!(gap <= given_.gap))
      refuse_set(set, fmt::format("a member could be better by {:.3g} %, more than the gap of {:.3g} %",
                                  100.0 * gap, 100.0 * given_.gap));
  }

  void check_moments() {
    const Moment* before = nullptr;
    for (const Moment& moment : given_.moments) {
      const bool is_after =
          before == nullptr || (moment.looked_at > before->looked_at &&
                                moment.simulated >= before->simulated && moment.best <= before->best);
      if (!is_after || moment.simulated > proof_.simulated) return refuse("the moments are not in order");
      before = &moment;
    }
    const double last = before == nullptr ? std::numeric_limits<double>::infinity() : before->best;
    if (last != found_.best()) refuse("the last moment is not that of the best point");
  }

  // Members drawn over all sets with a bound, in proportion to their number.
  void draw_members(std::int64_t sample, std::uint64_t seed) {
    std::vector<std::int64_t> sums;
    std::vector<const Node*> sets;
    std::int64_t sum = 0;
    for (const Node& set : given_.sets)
      if (set.fate == Fate::bound) sum += set.members, sums.push_back(sum), sets.push_back(&set);
    for (std::int64_t i = 0; sum > 0 && i < sample && proof_.problem.empty(); ++i) {
      const double unit = draw_unit(seed, 0x9e0f, static_cast<std::uint64_t>(i));
      const auto place = static_cast<std::int64_t>(unit * static_cast<double>(sum));
      const Node& set = *sets[at(std::ranges::upper_bound(sums, place) - sums.begin())];
      for (const std::int64_t raw : evaluator_.some_members(set, seed + static_cast<std::uint64_t>(i), 1))
        check_member(set, raw);
    }
  }
  void check_member(const Node& set, std::int64_t raw) {
    const Outcome outcome = evaluator_.simulate_at(set.group, raw);
    ++proof_.sampled;
    const Node& point = outcome.parts.front();
    if (!outcome.is_eligible) return;
    const bool beats = point.least[0] < set.least[0] || (aims_.count() > 1 && point.least[1] < set.least[1]);
    // A repeat of one of the best is no other point.
    const bool is_found = std::ranges::binary_search(given_.points, point.first_filed);
    if (beats) refuse_set(set, fmt::format("combination {} beats its bound", raw));
    if (!is_found && !found_.excludes(point) && !is_repeat(set.group, raw))
      refuse_set(set, fmt::format("combination {} is among the best", raw));
  }
  bool is_repeat(std::int32_t group, std::int64_t raw) {
    const auto last = static_cast<std::int32_t>(space_.tiers(at(group)).size()) - 1;
    return evaluator_.look_at(group, last, raw).fate == Fate::repeat;
  }

  const Certificate& given_;
  const OrderedSpace& space_;
  Evaluator& evaluator_;
  Aims aims_;
  KeptCount kept_;
  Incumbents found_;
  Proof proof_;
};

}  // namespace

Proof prove(const Certificate& certificate, const sweep::SweepSpec& spec, const OrderedSpace& space,
            Evaluator& evaluator, std::int64_t sample, std::uint64_t seed) {
  return Prover(certificate, spec, space, evaluator).run(sample, seed);
}

}  // namespace echo::search
