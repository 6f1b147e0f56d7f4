#include "trace_io/pytorch_et/et_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "trace_io/pytorch_et/torch_types.hpp"

namespace echo::trace_io {

namespace {

using trace::Pass;

// The kind of a node, by its name.
enum class Role : std::int8_t { other, op, communication, backward, recompute, optimizer, step };

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

Role role_of(const EtNode& node) {
  const std::string_view name = node.name;
  if (name.starts_with("ProfilerStep#")) return Role::step;
  if (name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#")) return Role::optimizer;
  if (name.starts_with("autograd::engine::evaluate_function"))
    return has(name, "CheckpointFunctionBackward") ? Role::recompute : Role::backward;
  if (name == "record_param_comms") return Role::communication;
  if (name.starts_with("c10d::") || name.starts_with("_c10d_functional::") ||
      name.starts_with("c10d_functional::")) {
    const auto kind = comm_kind(name);
    return kind && kind->role != CommRole::none && !has(name, "wait") ? Role::communication : Role::other;
  }
  // Ops without kernels of their own: kernels, if any, run below them.
  static constexpr std::string_view callers[]{
      "aten::to",         "aten::contiguous", "aten::type_as",   "aten::dropout",   "aten::matmul",
      "aten::zeros",      "aten::ones",       "aten::full",      "aten::new_zeros", "aten::new_ones",
      "aten::zeros_like", "aten::ones_like",  "aten::full_like", "aten::new_full",  "aten::reshape_as"};
  if (std::find(std::begin(callers), std::end(callers), name) != std::end(callers)) return Role::other;
  const bool is_call = has(name, "::") && !name.starts_with("autograd::") &&
                       !name.starts_with("torch::autograd") && !name.starts_with("profiler::") &&
                       !name.starts_with("[") && !has(name, " ");
  return is_call && !is_free(node.name) ? Role::op : Role::other;
}

struct Node {
  std::int64_t id = -1, sequence = -1;
  std::int64_t parent_id = -1;
  std::int32_t parent = -1;  // of the sorted nodes
  Role role{};
  std::int32_t kind = -1;  // of kernel, where its shapes say so
  // The nearest above it: op, communication (-1: none), mark of a pass or a step.
  std::int32_t op_above = -1, comm_above = -1;
  Role mark_above{};
  bool is_anew = false;      // an op between that mark and here records a graph
  bool is_orphan = false;    // whoever called it, or one of those above, is missing
  bool is_in_whole = false;  // part of a kernel above
  // Below it: kernels, the same kernel, communication.
  bool calls_kernels = false, calls_same = false, calls_comm = false;
  EtNode detail;  // of ops and communication
};

class Reader {
 public:
  EtOps read(const std::string& path, std::int32_t step) {
    read_et_nodes(path, [&](EtNode& node) { take(node); });
    std::stable_sort(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!places_.emplace(nodes_[i].id, static_cast<std::int32_t>(i)).second)
        throw UserError({Problem{{path},
                                 fmt::format("{} has two nodes of id {}", path, nodes_[i].id),
                                 "it was merged from two traces; pass one at a time"}});
    for (Node& node : nodes_)  // a call comes before those it makes
      if (const auto found = places_.find(node.parent_id);
          found != places_.end() && nodes_[static_cast<std::size_t>(found->second)].id < node.id)
        node.parent = found->second;
    const auto [from, until] = bounds(path, step);
    out_.on_host = !has_gpu_;
    mark();
    for (std::int32_t i = from; i < until; ++i)
      if (at(i).role == Role::backward) last_backward_ = i;
    for (std::int32_t i = from; i < until; ++i) emit(i);
    if (out_.ops.empty())
      throw UserError({Problem{{path},
                               path + ": it has no op that a GPU would run",
                               "record a training step with ExecutionTraceObserver"}});
    return std::move(out_);
  }

 private:
  const Node& at(std::int32_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  Node& at(std::int32_t i) { return nodes_[static_cast<std::size_t>(i)]; }

  void take(EtNode& node) {
    if (node.name == "## process_group:init ##")
      for (CommCall& group : groups_of_text(node.text)) out_.groups.push_back(std::move(group));
    for (const auto* list : {&node.reads, &node.writes})
      for (const EtTensor& tensor : *list) has_gpu_ = has_gpu_ || !tensor.on_host;
    Node one{node.id, node.sequence, node.parent, -1, role_of(node)};
    has_backward_ = has_backward_ || one.role == Role::backward;
    if (one.role == Role::op || one.role == Role::communication || one.role == Role::step)
      one.detail = std::move(node);
    nodes_.push_back(std::move(one));
  }

  // [first, one past the last) of the step's nodes.
  std::pair<std::int32_t, std::int32_t> bounds(const std::string& path, std::int32_t step) {
    std::vector<std::int32_t> marks;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(nodes_.size()); ++i)
      if (at(i).role == Role::step) marks.push_back(i);
    const auto size = static_cast<std::int32_t>(nodes_.size());
    if (marks.empty() && step < 0) return {0, size};
    std::size_t place = marks.size() / 2;
    if (step >= 0) {
      const auto named = [&](std::int32_t mark) {
        return at(mark).detail.name == "ProfilerStep#" + std::to_string(step);
      };
      place = static_cast<std::size_t>(std::find_if(marks.begin(), marks.end(), named) - marks.begin());
      if (place == marks.size())
        throw UserError({Problem{{path}, fmt::format("{} has no step {}", path, step), "omit the step"}});
    }
    out_.label = at(marks[place]).detail.name;
    return {marks[place], place + 1 < marks.size() ? marks[place + 1] : size};
  }

  [[nodiscard]] std::optional<ops::KernelKey> key_of(const Node& node, Pass pass) const {
    return node.role == Role::op ? kernel_of(node.detail.call, pass) : std::nullopt;
  }
  static bool is_whole(ops::KernelKind kind) { return kind != ops::KernelKind::elementwise; }
  // What clears a result before the op itself runs.
  static bool is_clearing(const Node& node) {
    return node.detail.name == "aten::zero_" || node.detail.name == "aten::fill_";
  }

  // The ancestors of each node; callers come first.
  void look_up() {
    for (Node& node : nodes_) {
      const bool is_one = node.role == Role::op || node.role == Role::communication;
      if (const auto key = key_of(node, Pass::forward)) node.kind = static_cast<std::int32_t>(key->kind);
      if (node.parent < 0) {
        node.is_orphan = node.parent_id > 1 && node.role != Role::other && !places_.contains(node.parent_id);
        node.is_anew = is_one && node.sequence >= 0;
        continue;
      }
      const Node& caller = at(node.parent);
      const bool is_mark = caller.role == Role::backward || caller.role == Role::recompute ||
                           caller.role == Role::optimizer || caller.role == Role::step;
      node.op_above = caller.role == Role::op ? node.parent : caller.op_above;
      node.comm_above = caller.role == Role::communication ? node.parent : caller.comm_above;
      node.mark_above = is_mark ? caller.role : caller.mark_above;
      node.is_anew = (!is_mark && caller.is_anew) || (is_one && node.sequence >= 0);
      node.is_orphan = caller.is_orphan && !is_mark;
    }
  }

  // Propagates to every caller what is below it, from the end; then to every op what it is part of.
  void mark() {
    look_up();
    for (auto i = static_cast<std::int32_t>(nodes_.size()) - 1; i >= 0; --i) {
      const Node& node = at(i);
      if (node.role != Role::op && node.role != Role::communication) continue;
      if (node.role == Role::communication && node.comm_above >= 0) at(node.comm_above).calls_comm = true;
      if (node.op_above < 0) continue;
      Node& caller = at(node.op_above);
      caller.calls_kernels = caller.calls_kernels || !is_clearing(node);
      caller.calls_same = caller.calls_same || (node.kind >= 0 && node.kind == caller.kind);
    }
    for (Node& node : nodes_)
      if (node.op_above >= 0)
        node.is_in_whole = at(node.op_above).is_in_whole || stands_whole(at(node.op_above));
  }

  [[nodiscard]] bool is_kernel(const Node& node) const {
    if (node.role == Role::communication) return !node.calls_comm;
    if (node.role != Role::op || node.is_in_whole) return false;
    return !node.calls_kernels || stands_whole(node);
  }
  static bool stands_whole(const Node& node) {
    return node.kind >= 0 && !node.calls_same && is_whole(static_cast<ops::KernelKind>(node.kind));
  }

  // As in kineto_ops.hpp. Where the callers are missing (an op that ended by an exception is not written),
  // as for the previous op.
  [[nodiscard]] Pass pass_of(std::int32_t i) const {
    const Node& node = at(i);
    if (node.mark_above == Role::optimizer) return Pass::optimizer;
    if (node.mark_above == Role::recompute) return Pass::recompute;
    if (node.mark_above == Role::backward) return node.is_anew ? Pass::recompute : Pass::backward;
    if (node.is_orphan && !out_.ops.empty()) {
      const Pass before = out_.ops.back().pass;
      return before == Pass::recompute && !node.is_anew ? Pass::backward : before;
    }
    if (!has_backward_) return Pass::unknown;
    return node.mark_above == Role::step && i > last_backward_ ? Pass::optimizer : Pass::forward;
  }

  void emit(std::int32_t i) {
    if (!is_kernel(at(i))) return;
    Node& node = at(i);
    EtOp op{node.id, node.detail.name, pass_of(i)};
    op.kernel = key_of(node, op.pass);
    if (node.role == Role::communication) {
      CommCall call = comm_of(i);
      const auto kind = comm_kind(call.collective);
      if (!kind || kind->role == CommRole::none) return;
      op.comm = std::move(call);
    }
    if (!op.comm && !out_.on_host && !runs_on_gpu(op, node.detail)) return;
    op.reads = std::move(node.detail.reads);
    op.writes = std::move(node.detail.writes);
    if (!op.comm && op.reads.empty() && op.writes.empty()) return;
    out_.ops.push_back(std::move(op));
  }

  // In a trace of a GPU: excludes ops of the CPU on its own tensors.
  static bool runs_on_gpu(EtOp& op, const EtNode& node) {
    bool host = false, gpu = false;
    for (const auto* list : {&node.reads, &node.writes})
      for (const EtTensor& one : *list) (one.on_host ? host : gpu) = true;
    op.crosses = host && gpu && op.name == "aten::copy_";
    return gpu;
  }

  // Its own description; where it does not name its group, that of the functional collective around it.
  [[nodiscard]] CommCall comm_of(std::int32_t i) const {
    const EtNode& node = at(i).detail;
    CommCall call = node.comm;
    if (node.name == "record_param_comms") {
      for (const std::string& value : node.call.values)
        if (call.collective.empty() && comm_kind(value)) call.collective = value;
      for (const CommCall& group : out_.groups)
        for (const std::string& value : node.call.values)
          if (value == group.group + "," + group.purpose) call.group = group.group;
    } else {
      call.collective = node.name;
    }
    for (std::int32_t up = i; up >= 0 && call.group.empty(); up = at(up).parent)
      if (at(up).role == Role::communication) call.group = named_group(at(up).detail);
    fill_sizes(call, node);
    if (call.group.empty()) call.group = only_group(call);
    if (out_.groups.size() <= 1 && (node.name == "c10d::send" || node.name == "c10d::recv_") &&
        node.call.values.size() > 2)
      std::from_chars(node.call.values[2].data(), node.call.values[2].data() + node.call.values[2].size(),
                      call.peer);
    return call;
  }

  // _c10d_functional::all_reduce(tensor, "sum", "0")
  [[nodiscard]] std::string named_group(const EtNode& node) const {
    for (std::size_t i = node.call.values.size(); i-- > 0;)
      if (i < node.call.types.size() && node.call.types[i] == "String")
        for (const CommCall& group : out_.groups)
          if (group.group == node.call.values[i]) return group.group;
    return {};
  }

  // The only group, or the one of the size that follows from the gathered or scattered tensors.
  [[nodiscard]] std::string only_group(const CommCall& call) const {
    if (out_.groups.size() == 1) return out_.groups.front().group;
    const std::int64_t large = std::max(call.in, call.out), part = std::min(call.in, call.out);
    std::string found;
    for (const CommCall& group : out_.groups) {
      if (part < 1 || large == part || group.group_size != large / part) continue;
      if (!found.empty()) return {};
      found = group.group;
    }
    return found;
  }

  static void fill_sizes(CommCall& call, const EtNode& node) {
    if (call.type.empty())
      for (const std::string& type : node.call.types)
        if (call.type.empty() && has(type, "Tensor(")) call.type = type;
    const auto element = element_type(call.type);
    if (!element) return;
    std::map<std::int32_t, std::int64_t> operands;
    std::int64_t written = 0;
    for (const EtTensor& one : node.reads) operands[one.operand] += one.bytes / element->bytes;
    for (const EtTensor& one : node.writes) written += one.bytes / element->bytes;
    if (node.name.starts_with("c10d::") &&
        operands.size() > 1) {  // outputs stand first: (outputs, inputs, group)
      call.out = operands.begin()->second;
      call.in = std::next(operands.begin())->second;
    }
    if (call.in < 0 && !operands.empty()) call.in = operands.begin()->second;
    if (call.out < 0 && written > 0) call.out = written;
  }

  EtOps out_;
  std::vector<Node> nodes_;
  std::unordered_map<std::int64_t, std::int32_t> places_;  // by id
  bool has_backward_ = false, has_gpu_ = false;
  std::int32_t last_backward_ = -1;  // node of the step
};

}  // namespace

EtOps read_et_ops(const std::string& path, std::int32_t step) { return Reader().read(path, step); }

}  // namespace echo::trace_io
