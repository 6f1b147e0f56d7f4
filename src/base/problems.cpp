#include "base/problems.hpp"

#include <algorithm>

namespace echo {

// Groups of a space share axes, and would report the same problem once each.
void Problems::add(Problem problem) {
  const Place& place = problem.place;
  const bool is_new = is_limited_ || told_.emplace(place.file, place.line, place.column, problem.what).second;
  if (is_new) list_.push_back(std::move(problem));
}

// Files stand in the order of their first problem, the problems of a file in the order of its lines.
std::vector<Problem> Problems::in_order() const {
  std::vector<Problem> sorted = list_;
  const auto file = [this](const Problem& problem) {
    const auto same = [&](const Problem& other) { return other.place.file == problem.place.file; };
    return std::find_if(list_.begin(), list_.end(), same) - list_.begin();
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Problem& a, const Problem& b) {
    return std::tuple(file(a), a.place.line, a.place.column) <
           std::tuple(file(b), b.place.line, b.place.column);
  });
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
