#include "overlaps/observe.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "overlaps/beside.hpp"
#include "overlaps/call_sites.hpp"
#include "overlaps/cover.hpp"

namespace echo::overlaps {

namespace {

constexpr std::int64_t microsecond = 1000;

template <class Takes>
std::vector<Span> spans_of(const Profile& profile, Takes takes) {
  std::vector<Span> spans;
  for (const Activity& one : profile.activities)
    if (takes(one)) spans.push_back({one.start, one.end(), one.stream});
  return spans;
}
bool computes(const Activity& one) { return one.is_kernel && !one.communicates; }
bool communicates(const Activity& one) { return one.communicates; }
bool copies(const Activity& one) { return !one.is_kernel; }

// Samples alone by class of equal work. A median of 0 is shorter than the clock can tell.
using Samples = std::unordered_map<std::int32_t, AloneTimes>;

const AloneTimes* find(const Samples& samples, std::int32_t key, std::int64_t least) {
  const auto found = samples.find(key);
  if (found == samples.end() || found->second.count() < least) return nullptr;
  return found->second.median() > 0.0 ? &found->second : nullptr;
}

class Observer {
 public:
  Observer(const Profile& profile, const std::vector<std::int64_t>& shortest, const ObservationLimits& limits)
      : profile_(profile),
        shortest_(shortest),
        limits_(limits),
        sites_(call_sites(profile)),
        communication_(spans_of(profile, communicates), 1),
        two_collectives_(spans_of(profile, communicates), 2),
        kernels_(spans_of(profile, computes), 1),
        two_kernels_(spans_of(profile, computes), 2),
        copies_(spans_of(profile, copies), 1),
        beside_(profile) {}

  ProfileOverlaps observe() {
    find_alone();
    for (std::int32_t i = 0; i < length_of(profile_.activities); ++i)
      if (computes(profile_.activities[at(i)])) kernel(i);
    for (std::int32_t i = 0; i < length_of(profile_.activities); ++i)
      if (profile_.activities[at(i)].communicates) collective(i);
    weigh();
    return std::move(out_);
  }

 private:
  struct Shares {
    std::int64_t beside = 0, others = 0, copies = 0;
  };
  [[nodiscard]] Shares shares_of(const Activity& one) const {
    const auto within = [&](const Cover& cover) { return cover.within(one.start, one.end()); };
    // Its own stream is busy all the while, so that two busy streams are one besides.
    if (one.communicates) return {within(kernels_), within(two_collectives_), within(copies_)};
    return {within(communication_), within(two_kernels_), within(copies_)};
  }

  void find_alone() {
    for (std::size_t i = 0; i < profile_.activities.size(); ++i) {
      const Activity& one = profile_.activities[i];
      if (!one.is_kernel) continue;
      const Shares shares = shares_of(one);
      if (shares.beside > 0 || shares.others > 0) continue;
      // Copies take little of what a collective needs, and come before and after most of them.
      if (one.communicates) {
        by_kind_[sites_.kind[i]].add(one.start, one.duration);
      } else if (shares.copies == 0) {
        by_work_[sites_.work[i]].add(one.start, one.duration);
        by_site_[sites_.site[i]].add(one.start, one.duration);
        by_wide_[sites_.wide[i]].add(one.start, one.duration);
      }
    }
    for (Samples* samples : {&by_kind_, &by_work_, &by_site_, &by_wide_})
      for (auto& [key, times] : *samples) times.sort();
  }

  void leave_out(const std::string& reason) { ++out_.left_out[reason]; }

  bool is_taken(const Activity& one, const Shares& shares, const std::string& noun) {
    if (shares.beside <= 0 || one.duration <= 0) return false;
    if (share_of(shares.beside, one) < limits_.least_share) {
      leave_out(noun + " for less than 5 % of their time");
      return false;
    }
    if (one.duration < limits_.ticks * profile_.tick) {
      leave_out(noun + ", shorter than two ticks of the clock");
      return false;
    }
    return true;
  }

  void kernel(std::int32_t place) {
    const Activity& one = profile_.activities[at(place)];
    ++out_.kernels;
    if (by_work_.contains(sites_.work[at(place)])) ++out_.kernels_with_alone;
    const Shares shares = shares_of(one);
    if (!is_taken(one, shares, "kernels beside communication")) return;
    Observation row = row_of(place, shares);
    const AloneTimes* alone = alone_of(place, row);
    if (alone == nullptr) return;
    const Beside beside = beside_.beside(one.start, one.end());
    row.collective = beside.longest, row.collectives = beside.count, row.collective_names = beside.names;
    if (!shortest_.empty() && beside.longest >= 0) row.shortest_of_ranks = shortest_[at(beside.longest)];
    if (one.shape == 0) row.add(Doubt::noshape);
    if (one.is_shape_of_parent) row.add(Doubt::shape_from_parent);
    compare(row, *alone);
    row.is_recommended = is_good(row, *alone) && !row.has(Doubt::shape_ambiguous);
    out_.rows.push_back(std::move(row));
  }

  // What ran alone of the same work; null, and counted, where too little did.
  const AloneTimes* alone_of(std::int32_t place, Observation& row) {
    const Activity& one = profile_.activities[at(place)];
    const std::int64_t least = limits_.samples;
    const AloneTimes* near = find(by_site_, sites_.site[at(place)], least);
    const std::string work = one.shape == 0 ? "name+grid+block+op" : "name+grid+block+op+shape";
    if (near != nullptr) {
      row.alone_by = "ctx+" + work;
      if (one.shape != 0 || near->spread() <= limits_.most_spread) return near;
      const AloneTimes* wide = find(by_wide_, sites_.wide[at(place)], least);
      if (wide == nullptr || wide->spread() > limits_.most_spread) return near;
      row.alone_by = "ctx2+" + work;
      return wide;
    }
    const AloneTimes* far = find(by_work_, sites_.work[at(place)], least);
    if (far == nullptr) {
      leave_out("kernels beside communication, fewer than two of the same work alone");
      return nullptr;
    }
    if (one.shape == 0 && one.op == 0) {
      leave_out("kernels beside communication, only name and grid in common with any alone");
      return nullptr;
    }
    row.alone_by = work;
    if (one.shape == 0 || one.is_shape_of_parent) row.add(Doubt::shape_ambiguous);
    return far;
  }

  void collective(std::int32_t place) {
    const Activity& one = profile_.activities[at(place)];
    ++out_.collectives;
    const Shares shares = shares_of(one);
    if (!is_taken(one, shares, "collectives beside kernels")) return;
    const AloneTimes* alone = find(by_kind_, sites_.kind[at(place)], limits_.samples);
    if (alone == nullptr) return leave_out("collectives beside kernels, fewer than two of the same alone");
    Observation row = row_of(place, shares);
    row.is_collective = true;
    row.collective = place;
    const bool has_bytes = profile_.collectives[at(one.collective)].bytes >= 0;
    row.alone_by = has_bytes ? "name+grid+block+bytes" : "name+grid+block";
    if (!has_bytes) row.add(Doubt::nobytes);
    if (!shortest_.empty()) row.shortest_of_ranks = shortest_[at(place)];
    if (row.shortest_of_ranks < 0) row.add(Doubt::wait_unknown);
    compare(row, *alone);
    row.is_recommended = is_good(row, *alone) && has_bytes && row.shortest_of_ranks >= 0 &&
                         share_of(one.duration - row.shortest_of_ranks, one) <= limits_.wait_share;
    out_.rows.push_back(std::move(row));
  }

  static Observation row_of(std::int32_t place, const Shares& shares) {
    Observation row;
    row.activity = place;
    row.beside = shares.beside, row.beside_others = shares.others, row.beside_copies = shares.copies;
    return row;
  }

  void compare(Observation& row, const AloneTimes& alone) const {
    const Activity& one = profile_.activities[at(row.activity)];
    const auto time = static_cast<double>(one.duration);
    const double share = share_of(row.beside, one);
    const auto count = static_cast<double>(alone.count());
    row.alone_count = alone.count(), row.alone_gap = alone.nearest(one.start);
    row.alone_median = alone.median();
    row.alone_q10 = alone.quantile(0.1), row.alone_q90 = alone.quantile(0.9);
    row.slowdown = time / row.alone_median;
    const double left = row.alone_median - (1.0 - share) * time;
    if (left > limits_.least_remainder * row.alone_median) row.implied = share * time / left;
    // Between these two quantiles of a normal distribution lie 2.563 standard deviations; a duration is the
    // difference of two times, each rounded to a tick.
    const double deviation = alone.spread() / 2.563, tick = static_cast<double>(profile_.tick);
    const auto rounding = [&](double duration) { return tick * tick / (6.0 * duration * duration); };
    row.log_error = std::sqrt(deviation * deviation * (1.0 + 1.0 / count) + rounding(time) +
                              rounding(row.alone_median) / count);
    if (profile_.tick >= microsecond && row.alone_median < static_cast<double>(limits_.least_coarse))
      row.add(Doubt::lowres);
    if (alone.spread() > limits_.most_spread) row.add(Doubt::alone_spread);
    if (alone.count() < limits_.many_samples) row.add(Doubt::few_alone);
  }

  [[nodiscard]] bool is_good(const Observation& row, const AloneTimes& alone) const {
    const Activity& one = profile_.activities[at(row.activity)];
    const auto least = profile_.tick >= microsecond ? limits_.least_coarse : limits_.least;
    return share_of(row.beside, one) >= limits_.recommended_share &&
           share_of(row.beside_others, one) <= limits_.other_share &&
           share_of(row.beside_copies, one) <= limits_.other_share &&
           row.alone_median >= static_cast<double>(least) && alone.spread() <= limits_.most_spread;
  }

  // Repetitions of one work count as one together.
  void weigh() {
    std::map<std::pair<bool, std::int32_t>, std::int64_t> repeats;
    const auto key = [&](const Observation& row) {
      const auto& classes = row.is_collective ? sites_.kind : sites_.work;
      return std::pair(row.is_collective, classes[at(row.activity)]);
    };
    for (const Observation& row : out_.rows)
      if (row.is_recommended) ++repeats[key(row)];
    for (Observation& row : out_.rows)
      if (row.is_recommended) row.weight = 1.0 / static_cast<double>(repeats[key(row)]);
  }

  const Profile& profile_;
  const std::vector<std::int64_t>& shortest_;
  const ObservationLimits& limits_;
  const CallSites sites_;
  const Cover communication_, two_collectives_, kernels_, two_kernels_, copies_;
  const Communication beside_;
  Samples by_work_, by_site_, by_wide_, by_kind_;
  ProfileOverlaps out_;
};

}  // namespace

ProfileOverlaps observe(const Profile& profile, const std::vector<std::int64_t>& shortest,
                        const ObservationLimits& limits) {
  return Observer(profile, shortest, limits).observe();
}

}  // namespace echo::overlaps
