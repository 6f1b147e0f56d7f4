// Format: "Trace Event Format" (Google, Chromium project), complete events (ph X), times in microseconds.
// Written as decimal text from the integer picoseconds, so nothing is rounded.
#include "timeline/chrome_trace.hpp"

#include <set>
#include <string_view>

namespace echo::timeline {
namespace {

std::string_view name_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::forward:
      return "forward";
    case TaskKind::backward:
      return "backward";
    case TaskKind::backward_input:
      return "backward_input";
    case TaskKind::backward_weight:
      return "backward_weight";
  }
  return "";
}

void append_microseconds(std::string& out, SimTime time) {
  const std::int64_t picoseconds = time.count() % 1'000'000;
  const std::string fraction = std::to_string(picoseconds);
  out += std::to_string(time.count() / 1'000'000);
  if (picoseconds == 0) return;
  out += '.';
  out.append(6 - fraction.size(), '0');
  out += fraction;
}

void append_name(std::string& out, std::string_view what, std::int32_t stage, const std::string& name) {
  out += R"({"ph":"M","name":")" + std::string(what) + R"(","pid":)" + std::to_string(stage) +
         R"(,"tid":0,"args":{"name":")" + name + "\"}},\n";
}

void append_task(std::string& out, const PlacedTask& placed) {
  const std::string name(name_of(placed.task.kind));
  const std::string microbatch = std::to_string(placed.task.microbatch);
  out += R"({"ph":"X","name":")" + name + " " + microbatch + R"(","cat":")" + name + R"(","pid":)" +
         std::to_string(placed.stage) + R"(,"tid":0,"ts":)";
  append_microseconds(out, placed.start);
  out += R"(,"dur":)";
  append_microseconds(out, placed.end - placed.start);
  out +=
      R"(,"args":{"chunk":)" + std::to_string(placed.task.chunk) + R"(,"microbatch":)" + microbatch + "}},\n";
}

}  // namespace

std::string chrome_trace(std::span<const PlacedTask> tasks) {
  std::set<std::int32_t> stages;
  for (const PlacedTask& placed : tasks) stages.insert(placed.stage);
  std::string out = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  for (const std::int32_t stage : stages) {
    append_name(out, "process_name", stage, "stage " + std::to_string(stage));
    append_name(out, "thread_name", stage, "compute");
  }
  for (const PlacedTask& placed : tasks) append_task(out, placed);
  if (!tasks.empty()) out.resize(out.size() - 2);  // the last comma
  return out + "\n]}\n";
}

}  // namespace echo::timeline
