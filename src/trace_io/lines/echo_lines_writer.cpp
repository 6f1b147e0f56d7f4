#include <fmt/format.h>

#include <limits>
#include <span>

#include "base/at.hpp"
#include "trace_io/io/picoseconds.hpp"
#include "trace_io/io/text_sink.hpp"
#include "trace_io/lines/echo_lines.hpp"
#include "trace_io/model/kernel_words.hpp"

namespace echo::trace_io {

namespace {

using trace::Node;
using trace::NodeKind;

// One JSON object of a line, field by field.
class Line {
 public:
  void word(std::string_view field, std::string_view value) {
    begin(field);
    append_quoted(text_, value);
  }
  void raw(std::string_view field, std::string_view value) {
    begin(field);
    text_ += value;
  }
  void number(std::string_view field, std::int64_t value, std::int64_t plain) {
    if (value != plain) raw(field, std::to_string(value));
  }
  template <class T>
  void list(std::string_view field, std::span<const T> values) {
    raw(field, fmt::format("[{}]", fmt::join(values, ", ")));
  }
  void kernel(const ops::KernelKey& key) {
    begin("kernel");
    append_kernel(text_, key);
  }
  [[nodiscard]] std::string object() && { return (text_.empty() ? "{" : std::move(text_)) + "}"; }

 private:
  void begin(std::string_view field) {
    text_ += text_.empty() ? "{" : ", ";
    append_quoted(text_, field);
    text_ += ": ";
  }
  std::string text_;
};

std::string group_text(const trace::Group& group) {
  Line line;
  line.word("name", group.name);
  if (group.role != trace::GroupRole::unknown) line.word("role", trace::group_role_names[at(group.role)]);
  line.list("ranks", std::span<const std::int32_t>(group.ranks));
  return std::move(line).object();
}

std::string job_text(const trace::Trace& trace) {
  Line line;
  line.raw("echo_trace", "1");
  line.raw("world", std::to_string(trace.world));
  if (!trace.gpu.empty()) line.word("gpu", trace.gpu);
  if (trace.format == "echo" && !trace.extras.empty()) line.word("source", trace.extras);
  std::string notes, groups;
  for (const std::string& note : trace.notes) {
    notes += notes.empty() ? "" : ", ";
    append_quoted(notes, note);
  }
  if (!notes.empty()) line.raw("notes", "[" + notes + "]");
  for (const trace::Group& group : trace.groups) groups += (groups.empty() ? "" : ", ") + group_text(group);
  if (!groups.empty()) line.raw("groups", "[" + groups + "]");
  return std::move(line).object();
}

std::string rank_text(const trace::RankTrace& rank) {
  Line line;
  line.raw("rank", std::to_string(rank.rank));
  if (rank.stands_for.size() != 1 || rank.stands_for.front() != rank.rank)
    line.list("stands_for", std::span<const std::int32_t>(rank.stands_for));
  return std::move(line).object();
}

void put_communication(Line& line, const Node& node, const trace::Trace& trace) {
  const bool is_hop = node.kind == NodeKind::send || node.kind == NodeKind::recv;
  const auto plain = is_hop ? ops::CollectiveKind::send_recv : ops::CollectiveKind::all_reduce;
  if (node.kind == NodeKind::collective || node.collective != plain)
    line.word("collective", ops::collective_kind_names[at(node.collective)]);
  if (node.precision != machine::Precision::bf16)
    line.word("precision", machine::precision_names[at(node.precision)]);
  if (node.group >= 0) line.word("group", trace.groups[at(node.group)].name);
  line.number("peer", node.peer, -1);
  line.number("tag", node.tag, 0);
  line.number("launch", node.launch, -1);
}

std::vector<std::int64_t> ids_of(const trace::RankTrace& rank, std::span<const std::int32_t> places) {
  std::vector<std::int64_t> ids;
  for (const std::int32_t place : places) ids.push_back(rank.nodes[at(place)].id);
  return ids;
}

std::string node_text(const trace::Trace& trace, const trace::RankTrace& rank, std::int32_t place,
                      std::int64_t expected_id) {
  const Node& node = rank.nodes[at(place)];
  Line line;
  line.number("id", node.id, expected_id);
  if (node.kind != NodeKind::compute) line.word("kind", trace::node_kind_names[at(node.kind)]);
  const std::string& name = trace.names[at(node.name)];
  if (!name.empty()) line.word("name", name);
  if (node.pass != trace::Pass::unknown) line.word("pass", trace::pass_names[at(node.pass)]);
  line.number("stream", node.stream, 0);
  if (const auto ids = ids_of(rank, rank.needs.row(place)); !ids.empty())
    line.list("needs", std::span<const std::int64_t>(ids));
  if (const auto ids = ids_of(rank, rank.follows.row(place)); !ids.empty())
    line.list("follows", std::span<const std::int64_t>(ids));
  if (node.kernel >= 0) line.kernel(trace.kernels[at(node.kernel)]);
  if (node.flops != 0.0) line.raw("flops", fmt::format("{}", node.flops));
  line.number("bytes", node.bytes.value, 0);
  put_communication(line, node, trace);
  if (node.is_timed()) line.raw("duration_ns", nanoseconds_text(node.duration));
  if (node.gap != SimTime::zero()) line.raw("gap_ns", nanoseconds_text(node.gap));
  return std::move(line).object();
}

}  // namespace

void write_echo_ranks(const trace::Trace& tables, const NextRank& next, const std::string& path) {
  TextSink out(path);
  out.put(job_text(tables) + "\n");
  for (const trace::RankTrace* rank = next(); rank != nullptr; rank = next()) {
    out.put(rank_text(*rank) + "\n");
    std::int64_t expected_id = 0;
    for (std::int32_t place = 0; place < static_cast<std::int32_t>(rank->nodes.size()); ++place) {
      out.put(node_text(tables, *rank, place, expected_id) + "\n");
      const std::int64_t id = rank->nodes[at(place)].id;
      expected_id = id == std::numeric_limits<std::int64_t>::max() ? 0 : id + 1;
    }
  }
  out.finish();
}

void write_echo_lines(const trace::Trace& trace, const std::string& path) {
  write_echo_ranks(trace, ranks_of(trace), path);
}

}  // namespace echo::trace_io
