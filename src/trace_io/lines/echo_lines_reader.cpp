#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/problems.hpp"
#include "trace_io/io/json_pull.hpp"
#include "trace_io/io/picoseconds.hpp"
#include "trace_io/lines/echo_lines.hpp"
#include "trace_io/model/kernel_words.hpp"
#include "trace_io/model/trace_tables.hpp"

namespace echo::trace_io {

namespace {

using trace::Node;
using trace::NodeKind;

constexpr const char* remedy = "src/trace_io/README.md defines the lines";

template <class Enum, std::size_t count>
Enum word(JsonPull& json, std::string_view field, const std::array<std::string_view, count>& names) {
  const std::string text(json.string());
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end())
    json.fail(fmt::format("{} \"{}\" is not one of {}", field, text, fmt::join(names, ", ")));
  return static_cast<Enum>(found - names.begin());
}

std::int32_t small(JsonPull& json, std::string_view field, std::int64_t least) {
  const std::int64_t value = json.integer();
  if (value < least || value > std::numeric_limits<std::int32_t>::max())
    json.fail(fmt::format("{} = {} is not from {} to 2147483647", field, value, least));
  return static_cast<std::int32_t>(value);
}

SimTime time(JsonPull& json, std::string_view field) {
  const std::string text(json.number());
  const auto value = picoseconds_of_nanoseconds(text);
  if (!value || *value < SimTime::zero())
    json.fail(fmt::format("{} = {} is not a time from 0 to 9e15 ns", field, text));
  return *value;
}

std::vector<std::int32_t> ranks(JsonPull& json) {
  std::vector<std::int32_t> out;
  json.array([&] { out.push_back(small(json, "a rank", 0)); });
  return out;
}

class Reader {
 public:
  explicit Reader(const Source& source)
      : bytes_(source.path), problems_(source.path, Problems::places_of_a_trace) {}

  trace::Trace read() {
    std::string line;
    while (bytes_.line(line)) {
      ++line_;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      JsonPull json(line);
      try {
        if (!has_job_)
          job(json);
        else
          rank_or_node(json);
        json.finish();
      } catch (const JsonFault& fault) {
        has_job_ = true;  // what is wrong with it has been said
        problems_.error_at(line_,
                           static_cast<std::int32_t>(std::min<std::int64_t>(fault.offset(), 1 << 30)) + 1,
                           fault.what(), remedy);
      }
    }
    if (!has_job_) problems_.error_at(1, 1, "the file is empty", remedy);
    problems_.throw_if_any();
    return std::move(out_);
  }

 private:
  void job(JsonPull& json) {
    bool is_ours = false;
    json.object([&](std::string_view key) {
      if (key == "echo_trace") {
        if (json.integer() != 1) json.fail("unknown version of the format; this program reads 1");
        is_ours = true;
      } else if (key == "world") {
        out_.world = small(json, key, 1);
      } else if (key == "gpu") {
        out_.gpu = json.string();
      } else if (key == "source") {
        out_.extras = json.string();
      } else if (key == "notes") {
        json.array([&] { out_.notes.emplace_back(json.string()); });
      } else if (key == "groups") {
        json.array([&] { group(json); });
      } else {
        json.fail(fmt::format("the first line has no field \"{}\"", key));
      }
    });
    if (!is_ours) json.fail("the first line does not say \"echo_trace\": 1");
    has_job_ = true;
  }

  void group(JsonPull& json) {
    trace::Group group;
    json.object([&](std::string_view key) {
      if (key == "name")
        group.name = json.string();
      else if (key == "role")
        group.role = word<trace::GroupRole>(json, "role", trace::group_role_names);
      else if (key == "ranks")
        group.ranks = ranks(json);
      else
        json.fail(fmt::format("a group has no field \"{}\"", key));
    });
    if (tables_.group(group.name) >= 0) json.fail(fmt::format("two groups have the name \"{}\"", group.name));
    static_cast<void>(tables_.add_group(std::move(group)));
  }

  void rank_or_node(JsonPull& json) {
    Node node{.name = -1};
    node.id = next_id_;
    std::vector<std::int64_t> needs, follows;
    trace::RankTrace rank{.rank = -1};
    bool is_node = false, has_collective = false;
    json.object([&](std::string_view key) {
      if (key == "rank") {
        rank.rank = small(json, key, 0);
        return;
      }
      if (key == "stands_for") {
        rank.stands_for = ranks(json);
        return;
      }
      is_node = true;
      has_collective = has_collective || key == "collective";
      if (key == "needs")
        json.array([&] { needs.push_back(json.integer()); });
      else if (key == "follows")
        json.array([&] { follows.push_back(json.integer()); });
      else if (!words(json, key, node) && !numbers(json, key, node))
        json.fail(fmt::format("an op has no field \"{}\"", key));
    });
    if (rank.rank >= 0 && is_node) json.fail("a line must be a rank or an op, not both");
    if (rank.rank >= 0) return open(std::move(rank));
    if (!rank.stands_for.empty()) json.fail("stands_for without the rank");
    if (out_.ranks.empty()) json.fail("an op before any {\"rank\": ...}");
    if (node.kind == NodeKind::collective && !has_collective) json.fail("a collective has no kind");
    if (!has_collective && (node.kind == NodeKind::send || node.kind == NodeKind::recv))
      node.collective = ops::CollectiveKind::send_recv;
    close(json, node, needs, follows);
  }

  bool words(JsonPull& json, std::string_view key, Node& node) {
    if (key == "kind") {
      node.kind = word<NodeKind>(json, key, trace::node_kind_names);
    } else if (key == "name") {
      node.name = tables_.name(json.string());
    } else if (key == "pass") {
      node.pass = word<trace::Pass>(json, key, trace::pass_names);
    } else if (key == "collective") {
      node.collective = word<ops::CollectiveKind>(json, key, ops::collective_kind_names);
    } else if (key == "precision") {
      node.precision = word<machine::Precision>(json, key, machine::precision_names);
    } else if (key == "group") {
      const std::string name(json.string());
      node.group = tables_.group(name);
      if (node.group < 0) json.fail(fmt::format("the first line has no group \"{}\"", name));
    } else if (key == "kernel") {
      node.kernel = tables_.kernel(read_kernel(json));
    } else {
      return false;
    }
    return true;
  }

  bool numbers(JsonPull& json, std::string_view key, Node& node) {
    if (key == "id") {
      node.id = json.integer();
    } else if (key == "stream") {
      node.stream = small(json, key, -1);
    } else if (key == "flops") {
      node.flops = json.real();
      if (!(node.flops >= 0.0) || std::isinf(node.flops)) json.fail("flops is negative or not finite");
    } else if (key == "bytes") {
      node.bytes = Bytes(json.integer());
      if (node.bytes.value < 0) json.fail("bytes is negative");
    } else if (key == "peer") {
      node.peer = small(json, key, -1);
    } else if (key == "tag") {
      node.tag = json.integer();
    } else if (key == "launch") {
      node.launch = small(json, key, -1);
    } else if (key == "duration_ns") {
      node.duration = time(json, key);
    } else if (key == "gap_ns") {
      node.gap = time(json, key);
    } else {
      return false;
    }
    return true;
  }

  void open(trace::RankTrace rank) {
    if (rank.stands_for.empty()) rank.stands_for = {rank.rank};
    out_.ranks.push_back(std::move(rank));
    places_.clear();
    next_id_ = 0;
  }

  void close(JsonPull& json, Node node, std::span<const std::int64_t> needs,
             std::span<const std::int64_t> follows) {
    trace::RankTrace& rank = out_.ranks.back();
    if (node.name < 0) node.name = tables_.name("");
    next_id_ = node.id == std::numeric_limits<std::int64_t>::max() ? 0 : node.id + 1;
    const auto place = static_cast<std::int32_t>(rank.nodes.size());
    rank.nodes.push_back(node);
    std::string problem = refer(needs, rank.needs);
    if (problem.empty()) problem = refer(follows, rank.follows);
    rank.needs.close_row();
    rank.follows.close_row();
    if (!places_.emplace(node.id, place).second)
      problem = fmt::format("the rank has two ops of id {}", node.id);
    if (!problem.empty()) json.fail(problem);
  }

  std::string refer(std::span<const std::int64_t> ids, Csr<std::int32_t>& rows) const {
    for (const std::int64_t id : ids) {
      const auto found = places_.find(id);
      if (found == places_.end())
        return fmt::format("waits for op {}, which the rank has not issued yet", id);
      rows.push(found->second);
    }
    return {};
  }

  ByteSource bytes_;
  Problems problems_;
  trace::Trace out_;
  TraceTables tables_{out_};
  std::unordered_map<std::int64_t, std::int32_t> places_;  // of the rank's nodes, by id
  std::int64_t next_id_ = 0;
  std::int32_t line_ = 0;
  bool has_job_ = false;
};

}  // namespace

trace::Trace read_echo_lines(const Source& source) { return Reader(source).read(); }

}  // namespace echo::trace_io
