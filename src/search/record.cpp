#include "search/record.hpp"

#include <map>
#include <sstream>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "search/aims.hpp"

namespace echo::search {

using results::SearchRecord;

namespace {

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

std::vector<std::int64_t> values_in(const std::string& text) {
  std::vector<std::int64_t> values;
  std::istringstream words(text);
  for (std::int64_t value = 0; words >> value;) values.push_back(value);
  return values;
}

void add_set(const Node& set, std::map<std::vector<std::int64_t>, std::int32_t>& slices, SearchRecord& out) {
  std::int32_t slice = -1;
  if (set.is_sliced) {
    const auto [known, is_new] = slices.try_emplace(set.slice, static_cast<std::int32_t>(slices.size()));
    if (is_new) out.slices.push_back(text_of(set.slice));
    slice = known->second;
  }
  out.group.push_back(set.group);
  out.tier.push_back(set.tier);
  out.slice.push_back(slice);
  out.begin.push_back(set.stretch.begin);
  out.end.push_back(set.stretch.end);
  out.members.push_back(set.members);
  out.first.push_back(set.first_filed);
  out.fate.push_back(static_cast<std::int8_t>(set.fate));
  out.least.push_back(set.least[0]);
  out.least_second.push_back(set.least[1]);
}

}  // namespace

SearchRecord record_of(const Certificate& certificate, const sweep::SweepSpec& spec) {
  SearchRecord out;
  out.combinations = certificate.combinations;
  out.kept = certificate.kept;
  out.failed = certificate.failed;
  out.top = spec.search.within > 0.0 ? 0 : spec.search.top;
  out.gap = certificate.gap;
  out.within = spec.search.within;
  for (const sweep::Objective& objective : objectives_of(spec))
    out.objectives += (out.objectives.empty() ? "" : " ") + objective.metric +
                      (objective.goal == sweep::Goal::min ? ":min" : ":max");
  for (const std::string& axis : spec.search.per) out.per += (out.per.empty() ? "" : " ") + axis;
  std::map<std::vector<std::int64_t>, std::int32_t> slices;
  for (const Node& set : certificate.sets) add_set(set, slices, out);
  out.points = certificate.points;
  for (const Moment& moment : certificate.moments) {
    out.looked_at.push_back(moment.looked_at);
    out.simulated.push_back(moment.simulated);
    out.best.push_back(moment.best);
    out.possible.push_back(moment.possible);
  }
  return out;
}

Certificate certificate_of(const SearchRecord& record) {
  Certificate out{.combinations = record.combinations, .kept = record.kept};
  out.failed = record.failed;
  out.gap = record.gap;
  out.points = record.points;
  for (std::size_t i = 0; i < record.group.size(); ++i) {
    const std::int32_t slice = record.slice[i];
    if (record.fate[i] < 0 || at(record.fate[i]) >= fate_count ||
        slice >= static_cast<std::int32_t>(record.slices.size()))
      throw UserError("/search/sets has a code that this program does not know", "run the sweep again", 5);
    out.sets.push_back(
        {.stretch = {record.begin[i], record.end[i]},
         .group = record.group[i],
         .tier = record.tier[i],
         .members = record.members[i],
         .first_filed = record.first[i],
         .fate = static_cast<Fate>(record.fate[i]),
         .least = {record.least[i], record.least_second[i]},
         .is_sliced = slice >= 0,
         .slice = slice < 0 ? std::vector<std::int64_t>{} : values_in(record.slices[at(slice)])});
  }
  for (std::size_t i = 0; i < record.simulated.size(); ++i)
    out.moments.push_back({record.looked_at[i], record.simulated[i], record.best[i], record.possible[i]});
  return out;
}

}  // namespace echo::search
