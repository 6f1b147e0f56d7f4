#include "explain/beside/beside_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/at.hpp"
#include "base/lane.hpp"
#include "explain/perfetto_events.hpp"
#include "text/json.hpp"

namespace echo::explain {

namespace {

constexpr std::array<const char*, lane_count> lane_words{"computation", "tensor", "context",
                                                         "expert",      "data",   "host"};

struct Drawing {
  TraceEvents& out;
  std::int32_t process = 0;
  bool is_recorded = false;

  void run(const Side& side, const std::string& name, const std::vector<std::string>& args) {
    out.name_process(process, name);
    std::set<std::int32_t> lanes;
    SimTime first = side.activities.empty() ? SimTime{} : SimTime::max();
    for (const Activity& one : side.activities) lanes.insert(one.lane), first = std::min(first, one.start);
    for (const std::int32_t lane : lanes)
      out.name_thread({process, lane}, is_recorded ? fmt::format("stream {}", lane) : lane_words[at(lane)]);
    if (!is_recorded) first = SimTime{};
    for (std::size_t i = 0; i < side.activities.size(); ++i) {
      const Activity& one = side.activities[i];
      out.slice({process, one.lane}, one.name, kernel_role_names[static_cast<std::size_t>(one.role)],
                one.start - first, one.end - first, {}, args[i]);
    }
  }
};

std::vector<std::string> plain_args(const Side& side) {
  std::vector<std::string> out;
  for (const Activity& one : side.activities)
    out.push_back(fmt::format("\"role\":\"{}\"", kernel_role_names[static_cast<std::size_t>(one.role)]));
  return out;
}

}  // namespace

std::int64_t draw_beside(const Beside& beside, const std::string& recorded_what,
                         const std::string& simulated_what, const std::filesystem::path& path) {
  std::vector<std::string> left = plain_args(beside.recorded), right = plain_args(beside.simulated);
  for (const Match& match : beside.matches) {
    const Activity &kernel = beside.recorded.activities[at(match.recorded)],
                   &op = beside.simulated.activities[at(match.simulated)];
    left[at(match.recorded)] +=
        fmt::format(",\"simulated_us\":{},\"op\":{}", microseconds(op.length()), text::json_text(op.name));
    right[at(match.simulated)] += fmt::format(",\"recorded_us\":{},\"alone_us\":{}",
                                              microseconds(kernel.length()), microseconds(op.alone));
  }
  TraceFile file(path);
  TraceEvents events(file, fmt::format("\"recorded\":{},\"simulated\":{}", text::json_text(recorded_what),
                                       text::json_text(simulated_what)));
  Drawing{events, 0, true}.run(beside.recorded, "recorded: " + recorded_what, left);
  Drawing{events, 1, false}.run(beside.simulated, "simulated: " + simulated_what, right);
  events.finish();
  return events.events();
}

}  // namespace echo::explain
