#include "nsight/join.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "nsight/align.hpp"
#include "nsight/busy_time.hpp"
#include "nsight/kernel_name.hpp"

namespace echo::nsight {
namespace {

using slowdown::OverlapRow;

constexpr std::int32_t most_apart = 5000;
constexpr double nanosecond = 1e-9;
constexpr double most_company = 0.05;  // share of a kernel's time beside kernels of other streams

Interval interval_of(const TracedKernel& kernel) { return {kernel.start, kernel.end}; }

double share_within(const BusyTime& busy, const TracedKernel& kernel) {
  return static_cast<double>(busy.within(interval_of(kernel))) / static_cast<double>(kernel.duration());
}

// Numbers for the properties that must be equal for two kernels to be one.
class Keys {
 public:
  std::int32_t of(const std::string& name, double blocks, double threads) {
    return numbers_.try_emplace({name, blocks, threads}, static_cast<std::int32_t>(numbers_.size()))
        .first->second;
  }

 private:
  std::map<std::tuple<std::string, double, double>, std::int32_t> numbers_;
};

// The activity of one device in one run.
class DeviceRun {
 public:
  DeviceRun(const Trace& trace, std::int32_t device)
      : trace_(trace),
        communication_(kernels_of(trace, device, true)),
        kernels_(kernels_of(trace, device, false)),
        beside_communication_(intervals(communication_), 1),
        beside_others_(streams(kernels_), 2) {}

  [[nodiscard]] const std::vector<TracedKernel>& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<TracedKernel>& communication() const { return communication_; }
  [[nodiscard]] const KernelNames& names(const TracedKernel& kernel) const {
    return trace_.names[at(kernel.name)];
  }
  [[nodiscard]] double overlap_of(const TracedKernel& kernel) const {
    return share_within(beside_communication_, kernel);
  }
  [[nodiscard]] double company_of(const TracedKernel& kernel) const {
    return share_within(beside_others_, kernel);
  }

 private:
  static std::vector<TracedKernel> kernels_of(const Trace& trace, std::int32_t device, bool communicates) {
    std::vector<TracedKernel> out;
    for (const TracedKernel& kernel : trace.kernels)
      if (kernel.device == device && trace.names[at(kernel.name)].communicates == communicates)
        out.push_back(kernel);
    return out;
  }
  static std::vector<Interval> intervals(const std::vector<TracedKernel>& kernels) {
    std::vector<Interval> out(kernels.size());
    std::transform(kernels.begin(), kernels.end(), out.begin(), interval_of);
    return out;
  }
  // The times during which each stream runs something: a stream's own kernels may follow each other closely
  // enough to overlap.
  static std::vector<Interval> streams(const std::vector<TracedKernel>& kernels) {
    std::map<std::int32_t, std::vector<Interval>> by_stream;
    for (const TracedKernel& kernel : kernels) by_stream[kernel.stream].push_back(interval_of(kernel));
    std::vector<Interval> out;
    for (auto& [stream, all] : by_stream)
      for (const Interval& one : united(std::move(all))) out.push_back(one);
    return out;
  }

  const Trace& trace_;
  std::vector<TracedKernel> communication_, kernels_;  // by start
  BusyTime beside_communication_, beside_others_;
};

std::vector<Match> align_or_refuse(std::span<const std::int32_t> first, std::span<const std::int32_t> second,
                                   const std::string& what) {
  auto matches = align(first, second, most_apart);
  if (!matches)
    throw UserError(what + " differ in more than 5000 kernels",
                    "record the same steps in each, between cudaProfilerStart and cudaProfilerStop");
  return *std::move(matches);
}

// For each kernel of the run, the communication that runs beside it longest; -1 where there is none.
std::vector<std::int32_t> longest_beside(const DeviceRun& run) {
  const auto& communication = run.communication();
  std::vector<std::int32_t> out;
  std::vector<std::int32_t> active;
  std::int32_t next = 0;
  for (const TracedKernel& kernel : run.kernels()) {
    const auto one = [&](std::int32_t i) -> const TracedKernel& { return communication[at(i)]; };
    for (; next < std::ssize(communication) && one(next).start < kernel.end; ++next) active.push_back(next);
    std::erase_if(active, [&](std::int32_t i) { return one(i).end <= kernel.start; });
    std::int32_t best = -1;
    std::int64_t most = 0;
    for (const std::int32_t i : active) {
      const std::int64_t common = std::min(one(i).end, kernel.end) - std::max(one(i).start, kernel.start);
      if (common > most) most = common, best = i;
    }
    out.push_back(best);
  }
  return out;
}

slowdown::Communication communication_of(const TracedKernel& kernel, const std::string& name) {
  slowdown::Communication out{.made_by = slowdown::CommunicationKind::unknown};
  if (const auto kind = collective_of(name)) {
    out.made_by = slowdown::CommunicationKind::collective;
    out.collective = *kind;
  }
  constexpr std::int64_t most_channels = 4096;  // more would be no count of CTAs that are resident at once
  if (kernel.blocks <= most_channels) out.channels = static_cast<std::int32_t>(kernel.blocks);
  out.threads = kernel.threads;
  return out;
}

// Facts from the launch itself, where the profile does not have them.
void add_launch(slowdown::KernelMetrics& metrics, const TracedKernel& kernel) {
  const auto fill = [](double& metric, double value) {
    if (std::isnan(metric) && value > 0.0) metric = value;
  };
  fill(metrics.blocks, static_cast<double>(kernel.blocks));
  fill(metrics.threads, kernel.threads);
  fill(metrics.registers, kernel.registers);
  if (std::isnan(metrics.shared_memory) && kernel.registers > 0)
    metrics.shared_memory = static_cast<double>(kernel.shared_memory);
}

class Joiner {
 public:
  explicit Joiner(const JoinSources& sources) : sources_(sources) {}

  Joined join() {
    std::set<std::int32_t> devices, others;
    for (const TracedKernel& kernel : sources_.overlapped.kernels) devices.insert(kernel.device);
    for (const TracedKernel& kernel : sources_.alone.kernels) others.insert(kernel.device);
    for (const std::int32_t device : devices) {
      const DeviceRun overlapped(sources_.overlapped, device);
      out_.kernels += std::ssize(overlapped.kernels());
      if (others.count(device) == 0)
        leave_out("on a device absent in the run alone", std::ssize(overlapped.kernels()));
      else
        join_device(DeviceRun(sources_.alone, device), overlapped, device);
    }
    if (out_.rows.empty())
      throw UserError("the overlapped run and the run alone have no kernel in common",
                      "trace the same program with communication (--overlapped) and without "
                      "(--alone)");
    return std::move(out_);
  }

 private:
  void leave_out(const std::string& why, std::int64_t count = 1) {
    if (count > 0) out_.left_out[why] += count;
  }

  void join_device(const DeviceRun& alone, const DeviceRun& overlapped, std::int32_t device) {
    const auto first = keys_of(alone), second = keys_of(overlapped);
    const std::vector<Match> matches = align_or_refuse(first, second, "the run alone and the overlapped one");
    const std::vector<std::int32_t> profiles = profiles_of(alone, device);
    const std::vector<std::int32_t> beside = longest_beside(overlapped);
    const auto matched = std::ssize(matches);
    leave_out("of the overlapped run, without a counterpart alone", std::ssize(second) - matched);
    leave_out("of the run alone, without a counterpart overlapped", std::ssize(first) - matched);
    for (const Match& match : matches) {
      const auto i = static_cast<std::size_t>(match.first), j = static_cast<std::size_t>(match.second);
      add_row(alone, alone.kernels()[i], profiles[i], overlapped, overlapped.kernels()[j], beside[j]);
    }
  }

  std::vector<std::int32_t> keys_of(const DeviceRun& run) {
    std::vector<std::int32_t> keys;
    for (const TracedKernel& kernel : run.kernels()) {
      const KernelNames& names = run.names(kernel);
      const std::string& name = names.full_name.empty() ? names.name : names.full_name;
      keys.push_back(keys_.of(name, static_cast<double>(kernel.blocks), kernel.threads));
    }
    return keys;
  }

  // [kernel of the run] its place among the profiles, -1 = none. Nsight Compute spells templates its own
  // way, so the function's name counts, and grid and block where it gives them.
  std::vector<std::int32_t> profiles_of(const DeviceRun& run, std::int32_t device) {
    std::vector<std::int32_t> out(run.kernels().size(), -1), places = profiled_on(device);
    if (places.empty()) return out;
    const auto profile = [&](std::int32_t i) -> const ProfiledKernel& { return sources_.metrics[at(i)]; };
    const bool has_grid = std::all_of(places.begin(), places.end(), [&](std::int32_t i) {
      return !std::isnan(profile(i).metrics.blocks) && !std::isnan(profile(i).metrics.threads);
    });
    Keys keys;
    std::vector<std::int32_t> first, second;
    for (const TracedKernel& kernel : run.kernels())
      first.push_back(keys.of(run.names(kernel).name, has_grid ? static_cast<double>(kernel.blocks) : 0.0,
                              has_grid ? kernel.threads : 0.0));
    for (const std::int32_t i : places)
      second.push_back(keys.of(profile(i).name, has_grid ? profile(i).metrics.blocks : 0.0,
                               has_grid ? profile(i).metrics.threads : 0.0));
    const std::vector<Match> matches = align_or_refuse(first, second, "the run alone and its profile");
    for (const Match& match : matches) out[at(match.first)] = places[at(match.second)];
    leave_out("profiled, but not in the run alone", std::ssize(second) - std::ssize(matches));
    return out;
  }

  // Kernels that compute, of this device; of whichever was profiled, where that is only one.
  [[nodiscard]] std::vector<std::int32_t> profiled_on(std::int32_t device) const {
    std::set<std::string> devices;
    for (const ProfiledKernel& kernel : sources_.metrics) devices.insert(kernel.device);
    std::vector<std::int32_t> places;
    for (std::int32_t i = 0; i < std::ssize(sources_.metrics); ++i) {
      const ProfiledKernel& kernel = sources_.metrics[at(i)];
      const bool is_here = devices.size() == 1 || kernel.device == std::to_string(device);
      if (is_here && !is_communication(kernel.full_name)) places.push_back(i);
    }
    return places;
  }

  void add_row(const DeviceRun& alone, const TracedKernel& by_itself, std::int32_t profile,
               const DeviceRun& overlapped, const TracedKernel& together, std::int32_t beside) {
    if (alone.overlap_of(by_itself) > 0.0) return leave_out("communication overlaps them in the run alone");
    if (alone.company_of(by_itself) > most_company || overlapped.company_of(together) > most_company)
      return leave_out("kernels of other streams overlap them");
    const KernelNames& names = overlapped.names(together);
    OverlapRow row{.kernel = names.name, .full_name = names.full_name, .gpu = sources_.gpu};
    if (profile >= 0) row.metrics = sources_.metrics[at(profile)].metrics;
    add_launch(row.metrics, by_itself);
    row.alone = static_cast<double>(by_itself.duration()) * nanosecond;
    row.overlapped = static_cast<double>(together.duration()) * nanosecond;
    row.overlap_ratio = overlapped.overlap_of(together);
    if (beside >= 0) {
      const TracedKernel& communication = overlapped.communication()[at(beside)];
      row.beside = communication_of(communication, overlapped.names(communication).name);
    }
    if (const char* problem = slowdown::why_unsound(row)) return leave_out(problem);
    out_.with_metrics += profile >= 0 ? 1 : 0;
    out_.rows.push_back(std::move(row));
  }

  const JoinSources& sources_;
  Keys keys_;
  Joined out_;
};

}  // namespace

Joined join_runs(const JoinSources& sources) { return Joiner(sources).join(); }

}  // namespace echo::nsight
