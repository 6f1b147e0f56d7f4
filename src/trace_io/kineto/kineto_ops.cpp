#include "trace_io/kineto/kineto_ops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace echo::trace_io {

namespace {

using trace::Pass;

// The ops of one thread, in the order of its calls.
class Stack {
 public:
  Stack(KinetoStep& step, Pass bottom, std::int64_t last_backward)
      : step_(step), bottom_(bottom), last_backward_(last_backward) {}

  void open(std::int32_t place) {
    HostOp& op = step_.ops[static_cast<std::size_t>(place)];
    close(op.start);
    if (op.forward || op.backward) {
      for (; without_kernel_ < frames_.size(); ++without_kernel_) {
        HostOp& around = step_.ops[static_cast<std::size_t>(frames_[without_kernel_].place)];
        around.forward.reset(), around.backward.reset();
      }
    }
    Frame frame{place, frames_.empty() ? CallSite{.pass = bottom_} : frames_.back().inside};
    frame.inside.pass = pass_of(op, frame.inside.pass);
    if (!op.is_annotation) frame.inside.op = place;
    if (op.comm >= 0) frame.inside.comm = op.comm;
    if (op.is_annotation && name(op).starts_with("nccl:")) frame.inside.note = place;
    frames_.push_back(frame);
  }

  CallSite at(std::int64_t time) {
    close(time);
    CallSite out = frames_.empty() ? CallSite{.pass = bottom_} : frames_.back().inside;
    if (out.pass == Pass::forward && time >= last_backward_) out.pass = Pass::optimizer;
    return out;
  }

 private:
  // What a call in it, and in no op within it, is made by: nesting may be as deep as the file is long.
  struct Frame {
    std::int32_t place = 0;  // of the op
    CallSite inside;
  };

  [[nodiscard]] std::string_view name(const HostOp& op) const {
    return step_.names[static_cast<std::size_t>(op.name)];
  }

  void close(std::int64_t time) {
    while (!frames_.empty() && step_.ops[static_cast<std::size_t>(frames_.back().place)].end <= time)
      frames_.pop_back();
    without_kernel_ = std::min(without_kernel_, frames_.size());
  }

  [[nodiscard]] Pass pass_of(const HostOp& op, Pass around) const {
    const std::string_view text = name(op);
    const bool is_backward = text.find("Backward") != text.npos;
    if (text.starts_with("autograd::engine::evaluate_function") || text.starts_with("torch::autograd::"))
      return text.find("CheckpointFunctionBackward") != text.npos ? Pass::recompute : Pass::backward;
    if (text.starts_with("Optimizer.step#") || text.starts_with("Optimizer.zero_grad#"))
      return Pass::optimizer;
    if (around == Pass::backward && op.sequence >= 0 && !is_backward && text.starts_with("aten::"))
      return Pass::recompute;
    return around;
  }

  KinetoStep& step_;
  Pass bottom_;
  std::int64_t last_backward_;  // when it ended
  std::vector<Frame> frames_;
  std::size_t without_kernel_ = 0;  // of the frames, from the outermost: an op within them has it
};

// When the last backward op of the step ends; nothing where it has none.
std::optional<std::int64_t> backward_end(const KinetoStep& step) {
  std::optional<std::int64_t> end;
  for (const HostOp& op : step.ops)
    if (step.names[static_cast<std::size_t>(op.name)].starts_with("autograd::engine::evaluate_function"))
      end = std::max(end.value_or(op.end), op.end);
  return end;
}

}  // namespace

std::vector<CallSite> call_sites(KinetoStep& step) {
  const auto end = backward_end(step);
  const Pass bottom = end ? Pass::forward : Pass::unknown;
  // Without a mark, what comes after may be the next step's forward pass.
  const std::int64_t last_backward = end && step.start >= 0 ? *end : INT64_MAX;
  std::map<std::int64_t, Stack> stacks;  // by thread
  const auto stack = [&](std::int64_t thread) -> Stack& {
    return stacks.try_emplace(thread, step, bottom, last_backward).first->second;
  };
  std::vector<CallSite> sites;
  sites.reserve(step.calls.size());
  std::size_t next = 0;
  for (const HostCall& call : step.calls) {
    for (; next < step.ops.size() && step.ops[next].start <= call.start; ++next)
      stack(step.ops[next].thread).open(static_cast<std::int32_t>(next));
    sites.push_back(stack(call.thread).at(call.start));
  }
  return sites;
}

}  // namespace echo::trace_io
