#include "overlaps/readers/nsight_profile.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "base/memory_limit.hpp"
#include "nsight/kernel_name.hpp"
#include "nsight/timeline.hpp"
#include "overlaps/readers/communication_kind.hpp"
#include "overlaps/readers/host_ops.hpp"

namespace echo::overlaps {

namespace {

using nsight::Timeline;
using nsight::TimelineActivity;
using Gpu = std::pair<std::int64_t, std::int64_t>;  // process, device

// The op of a range: "aten::mm" of "aten::mm, seq = 5, op_id = 7, sizes = [[4, 8], [8, 2]]".
std::string_view op_of(std::string_view range) {
  const std::size_t comma = range.find(", seq = ");
  const std::size_t sizes = range.find(", sizes = ");
  return range.substr(0, std::min(comma, sizes));
}

// "[[4, 8], [8, 2]]" of that; empty where no operand has an extent.
std::string_view shape_of(std::string_view range) {
  const std::size_t at_sizes = range.find("sizes = [");
  if (at_sizes == range.npos) return {};
  const std::string_view text = range.substr(at_sizes + 8);
  int depth = 0;
  bool has_extent = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    has_extent = has_extent || (text[i] >= '0' && text[i] <= '9');
    if (depth == 0) return has_extent ? text.substr(0, i + 1) : std::string_view{};
  }
  return {};
}

class Reader {
 public:
  Reader(const std::string& path, const Timeline& timeline, const Gpu& gpu) : timeline_(timeline), gpu_(gpu) {
    out_.path = path;
    out_.trace = std::filesystem::path(path).filename().string();
    out_.format = "Nsight Systems";
    out_.driver_gpu = timeline.gpu, out_.gpu = without_maker(timeline.gpu);
    out_.sm_count = timeline.sm_count;
  }

  Profile read() {
    std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>> made;  // thread, start
    for (const nsight::TimelineCall& call : timeline_.calls)
      if (call.process == gpu_.first && call.correlation >= 0)
        static_cast<void>(made.try_emplace(call.correlation, call.thread, call.start));
    std::vector<HostCall> calls;
    for (const TimelineActivity& one : timeline_.activities) {
      if (Gpu{one.process, one.device} != gpu_) continue;
      if (const auto found = made.find(one.correlation);
          found != made.end() && one.kind == TimelineActivity::Kind::kernel)
        calls.push_back({found->second.first, found->second.second, length_of(out_.activities)});
      add(one);
    }
    name_launches(calls);
    finish(out_);
    return std::move(out_);
  }

 private:
  void add(const TimelineActivity& said) {
    const std::string& name = timeline_.names[at(said.name)];
    Activity one;
    one.is_kernel = said.kind == TimelineActivity::Kind::kernel;
    one.name = out_.texts.add(name);
    one.stream = said.stream, one.start = said.start, one.duration = said.end - said.start;
    if (one.is_kernel) {
      one.launch = length_of(out_.launches);
      out_.launches.push_back({said.grid, said.block, said.registers, said.shared_memory});
      one.communicates = nsight::is_communication(name);
    }
    if (one.communicates) {
      one.collective = length_of(out_.collectives);
      out_.collectives.push_back({.kind = kind_of_kernel(name), .type = "", .group = ""});
    }
    out_.activities.push_back(one);
  }

  void name_launches(const std::vector<HostCall>& calls) {
    std::vector<HostOp> ops;
    for (const nsight::TimelineRange& range : timeline_.ranges) {
      if (range.process != gpu_.first) continue;
      const std::string& text = timeline_.names[at(range.name)];
      // A step's number would make each step's kernels others.
      if (nsight::step_number(text) >= 0) continue;
      ops.push_back({range.thread, range.start, range.end, out_.texts.add(op_of(text)),
                     out_.texts.add(shape_of(text))});
    }
    const auto around = ops_around(ops, calls);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      Activity& one = out_.activities[at(calls[i].number)];
      const std::vector<std::int32_t>& inner = around[i];
      if (inner.size() > 1)
        one.op =
            out_.texts.add(out_.texts[ops[at(inner[1])].name] + "/" + out_.texts[ops[at(inner[0])].name]);
      else if (!inner.empty())
        one.op = ops[at(inner[0])].name;
      for (const std::int32_t place : inner) {
        if (ops[at(place)].shape == 0) continue;
        one.shape = ops[at(place)].shape;
        one.is_shape_of_parent = place != inner[0];
        break;
      }
    }
  }

  const Timeline& timeline_;
  const Gpu gpu_;
  Profile out_;
};

}  // namespace

std::vector<Profile> read_nsight_profiles(const std::string& path) {
  return within_memory(path, [&] {
    const Timeline timeline = nsight::read_timeline(path, nsight::whole_report);
    std::map<Gpu, bool> gpus;
    for (const TimelineActivity& one : timeline.activities)
      gpus[{one.process, one.device}] |= one.kind == TimelineActivity::Kind::kernel;
    std::vector<Profile> out;
    for (const auto& [gpu, has_kernels] : gpus)
      if (has_kernels) out.push_back(Reader(path, timeline, gpu).read());
    if (out.size() < 2) return out;
    for (std::size_t rank = 0; rank < out.size(); ++rank) {
      out[rank].trace += fmt::format(":{}", rank);
      out[rank].rank = static_cast<std::int32_t>(rank);
      out[rank].world = static_cast<std::int32_t>(out.size());
    }
    return out;
  });
}

}  // namespace echo::overlaps
