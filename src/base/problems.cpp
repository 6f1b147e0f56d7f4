#include "base/problems.hpp"

#include <algorithm>
#include <map>

namespace echo {

// Groups of a space share axes, and would report the same problem once each.
void Problems::add(Problem problem) {
  const Place& place = problem.place;
  if (is_limited_) return list_.push_back(std::move(problem));
  if (list_.size() > most_listed) {  // the last says that there are more, and how bad they are
    if (problem.severity == Problem::Severity::error) list_.back().severity = Problem::Severity::error;
    return;
  }
  if (!told_.emplace(place.file, place.line, place.column, problem.what).second) return;
  if (list_.size() == most_listed)
    problem = {{},
               "there are more problems than these " + std::to_string(most_listed),
               "mend those above first",
               problem.severity};
  list_.push_back(std::move(problem));
}

// Files stand in the order of their first problem, the problems of a file in the order of its lines.
std::vector<Problem> Problems::in_order() const {
  std::map<std::string, std::size_t> first;  // problem of a file
  for (std::size_t i = 0; i < list_.size(); ++i) first.emplace(list_[i].place.file, i);
  if (list_.size() > most_listed) first[""] = list_.size();
  std::vector<Problem> sorted = list_;
  const auto place_of = [&](const Problem& problem) {
    return std::tuple(first.at(problem.place.file), problem.place.line, problem.place.column);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Problem& a, const Problem& b) { return place_of(a) < place_of(b); });
  return sorted;
}

void Problems::throw_if_any() const {
  if (errors_ == 0) return;
  if (!is_limited_) throw UserError(in_order());
  std::vector<Problem> found = list_;
  if (errors_ > limit_.most)
    found.push_back({{file_, 0, 0, 1},
                     std::to_string(errors_ - limit_.most) + " " + std::string(limit_.rest),
                     "mend those above first"});
  throw UserError(std::move(found));
}

}  // namespace echo
