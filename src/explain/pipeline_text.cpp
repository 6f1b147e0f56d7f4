#include "explain/pipeline_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "text/show_quantity.hpp"

namespace echo::explain {

namespace {

using simulate::Slice;
using simulate::SliceKind;
using timeline::TaskKind;

constexpr std::int32_t columns = 100;

char letter_of(const Slice& slice) {
  switch (slice.kind) {
    case SliceKind::task:
      if (slice.is_pair) return 'X';
      return slice.task.kind == TaskKind::forward           ? 'F'
             : slice.task.kind == TaskKind::backward_weight ? 'W'
                                                            : 'B';
    case SliceKind::wait:
      return '.';
    case SliceKind::transfer:
      return '-';
    default:
      return 'o';
  }
}

char filling_of(char letter) {
  return letter == 'F' ? '=' : letter == 'B' ? '#' : letter == 'W' ? '+' : letter;
}

// Draws [from, to) of one stage: each column shows the slice that takes most of its time.
std::string strip(const std::vector<const Slice*>& slices, SimTime from, SimTime to) {
  std::string line(columns, ' ');
  const auto at = [&](std::int32_t column) { return from + (to - from) * column / columns; };
  std::size_t next = 0;
  const Slice* drawn = nullptr;
  std::int32_t began = 0;
  const auto label = [&](std::int32_t end) {  // the microbatch, if the task is wide enough
    if (drawn == nullptr || drawn->kind != SliceKind::task) return;
    const std::string text = letter_of(*drawn) + std::to_string(drawn->task.microbatch.index());
    if (static_cast<std::int32_t>(text.size()) < end - began)
      line.replace(static_cast<std::size_t>(began), text.size(), text);
  };
  for (std::int32_t column = 0; column < columns; ++column) {
    const SimTime begin = at(column), end = at(column + 1);
    while (next < slices.size() && slices[next]->end <= begin) ++next;
    const Slice* most = nullptr;
    SimTime longest{};
    for (std::size_t i = next; i < slices.size() && slices[i]->start < end; ++i) {
      const SimTime covered = std::min(end, slices[i]->end) - std::max(begin, slices[i]->start);
      if (covered > longest) longest = covered, most = slices[i];
    }
    if (most != drawn) {
      label(column);
      drawn = most, began = column;
      if (most != nullptr) line[static_cast<std::size_t>(column)] = letter_of(*most);
    } else if (most != nullptr) {
      line[static_cast<std::size_t>(column)] = filling_of(letter_of(*most));
    }
  }
  label(columns);
  return line;
}

}  // namespace

std::string pipeline_text(const simulate::StepTimeline& step) {
  std::vector<std::vector<const Slice*>> stages;
  SimTime end{}, busy{};
  std::int64_t tasks = 0;
  for (const Slice& slice : step.slices) {
    stages.resize(std::max(stages.size(), static_cast<std::size_t>(slice.stage) + 1));
    stages[static_cast<std::size_t>(slice.stage)].push_back(&slice);
    end = std::max(end, slice.end);
    if (slice.kind == SliceKind::task) busy += slice.end - slice.start, ++tasks;
  }
  if (tasks == 0) return "";
  constexpr std::int64_t columns_a_task = 4;
  const SimTime readable = busy / tasks * columns / columns_a_task;
  std::string text = fmt::format(
      "\npipeline ({}); F forward, B backward, W weight gradient, X pair, . bubble, - transfer, o rest\n",
      end <= 2 * readable ? "whole step" : "start and end of the step");
  const auto draw = [&](SimTime from, SimTime to) {
    text +=
        fmt::format("from {} to {}\n", text::show_time(to_seconds(from)), text::show_time(to_seconds(to)));
    for (std::size_t stage = 0; stage < stages.size(); ++stage)
      text += fmt::format("{:>4} |{}|\n", stage, strip(stages[stage], from, to));
  };
  if (end <= 2 * readable) {
    draw(SimTime::zero(), end);
  } else {
    draw(SimTime::zero(), readable);
    draw(end - readable, end);
  }
  return text;
}

}  // namespace echo::explain
