#include "query/rank/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "query/rank/contenders.hpp"
#include "results/rank/contest.hpp"
#include "results/rank/robust_front.hpp"
#include "text/show_quantity.hpp"

namespace echo::query {

using results::Aspect;
using results::Contender;
using results::ResultRows;
using results::Scan;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double variance_between(const Aspect& aspect, const Contender& a, const Contender& b) {
  if (aspect.slope == 0.0) return 0.0;
  return aspect.law == sweep::ErrorLaw::memory ? settle::memory_variance(a.error, b.error)
                                               : settle::step_variance(a.error, b.error);
}

void compare_first_two(Ties& ties, const Aspect& aspect, const Contender& first, const Contender& second) {
  const double variance = variance_between(aspect, first, second);
  ties.gap = std::expm1(second.cost[0] - first.cost[0]);
  ties.band = results::z90 * std::sqrt(variance);
  const bool by_step = aspect.law != sweep::ErrorLaw::memory;
  double before = 0.0;
  for (std::size_t k = 0; k < ties.share.size(); ++k) {
    ties.share[k] = settle::step_variance(static_cast<ErrorSource>(k), first.error, second.error);
    before += ties.share[k];
  }
  for (double& share : ties.share) share = by_step && before > 0.0 ? share / before : missing;
  ties.is_explained = !first.error.explained.empty();
  if (ties.is_explained && by_step && before > 0.0)
    ties.explained = std::clamp(1.0 - variance / before, 0.0, 1.0);
}

// "#1-#3, #5": the first row and those that tie with it.
std::string ranks_of(const std::vector<double>& chance) {
  std::string text;
  for (std::size_t begin = 0; begin < chance.size(); ++begin) {
    if (chance[begin] >= results::sure) continue;
    std::size_t end = begin;
    while (end + 1 < chance.size() && chance[end + 1] < results::sure) ++end;
    text += fmt::format("{}#{}", text.empty() ? "" : ", ", begin + 1);
    if (end > begin) text += fmt::format("-#{}", end + 1);
    begin = end;
  }
  return text;
}

std::string sources_of(const Ties& ties) {
  if (ties.is_explained)
    return fmt::format("; measured runs took away {:.0f} % of its variance", 100.0 * ties.explained);
  std::vector<std::pair<double, std::string_view>> parts;
  for (std::size_t k = 0; k < ties.share.size(); ++k)
    if (ties.share[k] >= 0.05) parts.emplace_back(ties.share[k], error_source_names[k]);
  std::ranges::stable_sort(parts, std::greater{}, &std::pair<double, std::string_view>::first);
  std::string text;
  for (const auto& [share, name] : parts)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", name, 100.0 * share);
  if (parts.size() == 1 && parts.front().first >= 0.995)
    return fmt::format("; the uncertainty comes entirely from the {} term", parts.front().second);
  return text.empty() ? "" : "; the uncertainty comes from " + text;
}

}  // namespace

double chance_of_first(const Aspect& aspect, const Contender& first, const Contender& other) {
  if (first.row == other.row) return 0.5;
  const double gap = other.cost[0] - first.cost[0];
  if (std::isnan(gap)) return std::isnan(first.cost[0]) ? 0.5 : 1.0;
  const double sigma = std::sqrt(variance_between(aspect, first, other));
  if (sigma == 0.0) return gap > 0.0 ? 1.0 : 0.5;
  return results::normal_cdf(gap / sigma);
}

std::vector<Ties> ties_of(const ResultRows& rows, const RankQuery& query,
                          std::span<const RankedGroup> groups) {
  std::vector<Ties> ties(groups.size());
  if (!is_judged(rows, query.by)) return ties;
  Contenders contenders(rows, query);
  // For the rows shown: group and position by row; then the first row of each group is compared with all
  // others.
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> place;
  std::vector<std::vector<Contender>> shown(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    shown[g].resize(groups[g].rows.size());
    for (std::size_t i = 0; i < shown[g].size(); ++i) place[groups[g].rows[i]] = {g, i};
  }
  std::map<GroupKey, std::size_t> group_of;  // by value of `per`
  contenders.for_each_near(place, [&](const GroupKey& per, const Contender& contender, const auto&) {
    const auto found = place.find(contender.row);
    if (found == place.end()) return;
    group_of[per] = found->second.first;
    shown[found->second.first][found->second.second] = contender;
  });
  const Aspect& aspect = contenders.aspect();
  contenders.for_each([&](const GroupKey& per, const Contender& contender, const auto&) {
    const auto found = group_of.find(per);
    if (found == group_of.end()) return;
    const Contender& first = shown[found->second].front();
    if (contender.row != first.row && chance_of_first(aspect, first, contender) < results::sure)
      ++ties[found->second].tied;
  });
  for (std::size_t g = 0; g < groups.size(); ++g) {
    ties[g].is_judged = true, ties[g].is_exact = aspect.slope == 0.0;
    for (const Contender& contender : shown[g])
      ties[g].chance.push_back(chance_of_first(aspect, shown[g].front(), contender));
    if (shown[g].size() > 1 && aspect.slope != 0.0)
      compare_first_two(ties[g], aspect, shown[g][0], shown[g][1]);
  }
  return ties;
}

std::string text_of(const Ties& ties, const RankedGroup& group, const RankQuery& query) {
  if (!ties.is_judged)
    return fmt::format("ties: not determined, the file has no error of {}\n", query.by.metric);
  if (group.feasible < 2 || ties.chance.empty()) return "";
  if (ties.tied == 0) {
    return ties.is_exact
               ? ""
               : "ties: none (#1 is better than every other row with a probability of at least 90 %)\n";
  }
  const auto listed =
      std::ranges::count_if(ties.chance, [](double chance) { return chance < results::sure; });
  std::string text = "ties: " + ranks_of(ties.chance);
  if (const std::int64_t more = ties.tied + 1 - listed; more > 0)
    text += fmt::format(" and {} more of {} rows", text::show_count(more), text::show_count(group.feasible));
  if (ties.is_exact) return text + fmt::format(" are equal in {}\n", query.by.metric);
  text += " cannot be distinguished (the probability that #1 is better is below 90 %)\n";
  if (ties.chance.size() > 1)
    text += fmt::format("  #2 is {:.2f} % {} #1; their difference is known to +-{:.2f} % (80 % band){}\n",
                        100.0 * std::abs(ties.gap), ties.gap < 0.0 ? "ahead of" : "behind", 100.0 * ties.band,
                        sources_of(ties));
  return text;
}

void add_row_ties(text::Json& json, const Ties& ties, std::size_t place) {
  if (!ties.is_judged) return;
  json.member("chance_first_is_better", ties.chance[place]);
  json.member("ties_with_first", ties.chance[place] < results::sure);
}

void add_ties(text::Json& json, const Ties& ties) {
  json.key("ties").open_object().member("judged", ties.is_judged).member("level", results::sure);
  json.member("tied_with_first", ties.tied);
  if (ties.is_judged && !ties.is_exact && ties.chance.size() > 1) {
    json.member("second_is_behind_by", ties.gap).member("band_of_difference", ties.band);
    json.key("variance_of_difference").open_object();
    for (std::size_t k = 0; k < ties.share.size(); ++k) json.member(error_source_names[k], ties.share[k]);
    json.close();
    if (ties.is_explained) json.member("variance_measured_away", ties.explained);
  }
  json.close();
}

}  // namespace echo::query
