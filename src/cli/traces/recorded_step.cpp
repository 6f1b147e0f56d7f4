#include "cli/traces/recorded_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "nsight/kernel_name.hpp"
#include "ops/describe.hpp"
#include "trace_io/kineto/kineto_ops.hpp"
#include "trace_io/kineto/kineto_step.hpp"
#include "trace_io/kineto/kineto_trace.hpp"

namespace echo::cli {

namespace {

using explain::KernelRole;
using trace_io::HostOp;
using trace_io::KinetoStep;

SimTime from_nanoseconds(std::int64_t ns) { return SimTime(ns * 1000); }

// Annotations such as "attn(B)", in order of time; they do not overlap in a profile of one thread.
class PhaseMarks {
 public:
  explicit PhaseMarks(const KinetoStep& step) {
    for (const HostOp& op : step.ops) {
      const std::string& name = step.names[at(op.name)];
      if (!op.is_annotation) continue;
      if (name.ends_with("(F)"))
        marks_[op.start] = {op.end, false};
      else if (name.ends_with("(B)") || name.ends_with("(W)"))
        marks_[op.start] = {op.end, true};
    }
  }
  // 0: forward, 1: backward, -1: no mark is around it.
  [[nodiscard]] int at_time(std::int64_t time) const {
    auto found = marks_.upper_bound(time);
    if (found == marks_.begin()) return -1;
    --found;
    return time < found->second.first ? static_cast<int>(found->second.second) : -1;
  }

 private:
  std::map<std::int64_t, std::pair<std::int64_t, bool>> marks_;
};

class Reading {
 public:
  Reading(const std::string& path, KinetoStep step)
      : step_(std::move(step)), sites_(trace_io::call_sites(step_)), marks_(step_) {
    out_.facts.file = path;
  }

  RecordedStep run() {
    for (std::size_t i = 0; i < step_.calls.size(); ++i)
      if (step_.calls[i].correlation >= 0) calls_.emplace(step_.calls[i].correlation, i);
    out_.passes_known = true;
    for (const trace_io::GpuEvent& event : step_.events) add(event);
    std::ranges::stable_sort(out_.activities, [](const auto& a, const auto& b) { return a.start < b.start; });
    const SimTime first = out_.activities.empty() ? SimTime{} : out_.activities.front().start;
    for (explain::Activity& one : out_.activities) one.start -= first, one.end -= first, one.issued -= first;
    if (!out_.passes_known) notes().push_back("passes are not known: kernels are matched by role alone");
    find_facts();
    return std::move(out_);
  }

 private:
  std::vector<std::string>& notes() { return out_.facts.notes; }

  void add(const trace_io::GpuEvent& event) {
    explain::Activity one{.start = from_nanoseconds(event.start), .end = from_nanoseconds(event.end())};
    one.issued = one.start;
    one.lane = static_cast<std::int32_t>(std::clamp<std::int64_t>(event.stream, 0, INT32_MAX));
    const std::string& name = step_.names[at(event.name)];
    one.role = explain::role_of_name(name);
    one.name = event.category == trace_io::KinetoCategory::kernel ? nsight::short_name_of(name) : name;
    trace::Pass pass = trace::Pass::unknown;
    if (const auto found = calls_.find(event.correlation); found != calls_.end()) {
      const trace_io::HostCall& call = step_.calls[found->second];
      one.issued = std::min(one.start, from_nanoseconds(call.start));
      pass = sites_[found->second].pass;
      note_shape(sites_[found->second], pass);
      if (const int mark = marks_.at_time(call.start); mark >= 0)
        pass = mark == 0 ? trace::Pass::forward : trace::Pass::backward;
    }
    one.backward = pass != trace::Pass::forward && pass != trace::Pass::unknown;
    if (pass == trace::Pass::unknown && !communicates(one.role)) out_.passes_known = false;
    if (name.find("_embedding_bag") != name.npos || name.find("embedding_codegen") != name.npos ||
        name.find("fbgemm") != name.npos)
      ++bags_;
    out_.activities.push_back(std::move(one));
  }

  void note_shape(const trace_io::CallSite& site, trace::Pass pass) {
    if (site.op < 0) return;
    const HostOp& op = step_.ops[at(site.op)];
    const auto& key = pass == trace::Pass::backward ? op.backward : op.forward;
    if (key && key->kind == ops::KernelKind::gemm && shaped_.insert(site.op).second)
      ++shapes_[ops::describe(*key)];
  }

  void find_facts() {
    explain::RecordedFacts& facts = out_.facts;
    facts.gpu = step_.header.gpu;
    facts.rank = step_.header.rank, facts.world = step_.header.world;
    facts.step = step_.label;
    for (const HostOp& op : step_.ops)
      if (!step_.label.empty() && step_.names[at(op.name)] == step_.label)
        facts.marked = from_nanoseconds(op.end - op.start);
    std::set<std::pair<std::string, std::int64_t>> groups;
    for (const trace_io::CommCall& comm : step_.comms)
      if (!comm.group.empty() && comm.group_size > 0) groups.emplace(comm.group, comm.group_size);
    for (const auto& [name, size] : groups) facts.groups.push_back(fmt::format("{}: {} ranks", name, size));
    std::vector<std::pair<std::string, std::int64_t>> shapes(shapes_.begin(), shapes_.end());
    std::ranges::stable_sort(shapes, [](const auto& a, const auto& b) { return a.second > b.second; });
    constexpr std::size_t shown = 6;
    if (shapes.size() > shown) shapes.resize(shown);
    for (const auto& [what, count] : shapes) facts.shapes.push_back(fmt::format("{} x {}", count, what));
    if (bags_ > 0)
      notes().push_back(fmt::format(
          "{} kernels look up embedding bags: a recommender model, for which no step can be generated",
          bags_));
  }

  KinetoStep step_;
  std::vector<trace_io::CallSite> sites_;  // [call]
  PhaseMarks marks_;
  std::unordered_map<std::int64_t, std::size_t> calls_;  // by correlation
  std::map<std::string, std::int64_t> shapes_;
  std::set<std::int32_t> shaped_;  // ops
  std::int64_t bags_ = 0;
  RecordedStep out_;
};

}  // namespace

RecordedStep read_recorded_step(const std::string& path, std::int32_t step) {
  return Reading(path, trace_io::read_kineto_step(path, step)).run();
}

}  // namespace echo::cli
