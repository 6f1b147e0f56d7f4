#include "machine_files/program_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/at.hpp"
#include "textbook/run_program.hpp"
#include "trace_io/format.hpp"

namespace echo::machine_files {

using machine::CollectiveProgram;
using machine::ProgramStep;
using machine::ProgramStepKind;
using trace::NodeKind;

std::optional<machine::ChosenCollective> collective_of(std::string_view word) {
  std::string bare;
  for (const char c : word)
    if (c != '_' && c != '-') bare += c;
  constexpr std::array<std::string_view, 4> words{"allreduce", "allgather", "reducescatter", "alltoall"};
  const auto* const found = std::ranges::find(words, bare);
  if (found == words.end()) return std::nullopt;
  return static_cast<machine::ChosenCollective>(found - words.begin());
}

namespace {

// A node as a step; nothing, and a problem, for what is none.
std::optional<ProgramStep> step_of(const trace::Node& node, std::int32_t rank, const std::string& file,
                                   Problems& problems) {
  const std::string name = "node " + std::to_string(node.id) + " of rank " + std::to_string(rank);
  const auto wrong = [&](const std::string& what) {
    problems.error({file, 0, 0, 1}, name + " " + what, "give sends, receives and computes of an algorithm");
    return std::nullopt;
  };
  ProgramStep step{.tag = static_cast<std::int32_t>(node.tag), .bytes = node.bytes.value};
  switch (node.kind) {
    case NodeKind::send:
    case NodeKind::recv:
      step.kind = node.kind == NodeKind::send ? ProgramStepKind::send : ProgramStepKind::receive;
      step.peer = node.peer;
      if (node.peer < 0 || node.peer == rank) return wrong("has no other rank");
      return step;
    case NodeKind::compute:
      step = {.duration = node.is_timed() ? node.duration : SimTime::zero()};
      return step;
    case NodeKind::collective:
    case NodeKind::memory:
    case NodeKind::wait:
      break;
  }
  return wrong("is a " + std::string(trace::node_kind_names[at(node.kind)]));
}

std::string text_of(const std::string& path, Problems& problems) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) problems.error({path, 0, 0, 1}, "the file cannot be read", "check the path and its permissions");
  return text.str();
}

// "a/ring" and "a/ring.0.et" are files a/ring.0.et, a/ring.1.et, ...
trace::Trace read_files(std::string path) {
  if (path.ends_with(".0.et")) path.resize(path.size() - 5);
  return trace_io::read_trace({path, {}}, "chakra");
}

}  // namespace

CollectiveProgram program_of(const trace::Trace& trace, machine::ChosenCollective collective,
                             const std::string& file, Problems& problems) {
  CollectiveProgram out;
  out.name = trace.name;
  out.collective = collective;
  out.ranks = static_cast<std::int32_t>(trace.ranks.size());
  const int before = problems.errors();
  for (std::int32_t r = 0; r < out.ranks; ++r) {
    const trace::RankTrace& rank = trace.ranks[at(r)];
    const auto first = static_cast<std::int32_t>(out.steps.size());
    out.rank_begin.push_back(first);
    if (rank.rank != r || rank.stands_for.size() != 1) {
      problems.error({file, 0, 0, 1}, "rank " + std::to_string(r) + " is missing",
                     "give a file for each rank from 0 on");
      return {};
    }
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(rank.nodes.size()); ++i) {
      const auto step = step_of(rank.nodes[at(i)], r, file, problems);
      out.steps.push_back(step.value_or(ProgramStep{}));
      for (const Csr<std::int32_t>* rows : {&rank.needs, &rank.follows})
        for (const std::int32_t need : rows->row(i)) out.needs.push(first + need);
      out.needs.close_row();
    }
  }
  out.rank_begin.push_back(static_cast<std::int32_t>(out.steps.size()));
  if (out.ranks < 2)
    problems.error({file, 0, 0, 1}, "an algorithm needs two ranks or more", "give all files");
  for (const ProgramStep& step : out.steps)
    if (step.kind != ProgramStepKind::compute && step.peer >= out.ranks) {
      problems.error({file, 0, 0, 1},
                     "a step goes to rank " + std::to_string(step.peer) + " of " + std::to_string(out.ranks),
                     "give a file for each rank");
      break;
    }
  return problems.errors() > before ? CollectiveProgram{} : out;
}

CollectiveProgram read_program(const std::string& path, std::optional<machine::ChosenCollective> said,
                               Problems& problems) {
  const int before = problems.errors();
  CollectiveProgram out;
  if (path.ends_with(".xml")) {
    const std::string text = text_of(path, problems);
    if (problems.errors() > before) return {};
    out = read_msccl(text, path, problems);
    if (problems.errors() == before && said && *said != out.collective)
      problems.error({path, 1, 1, 1},
                     "the file does " + std::string(machine::chosen_collective_names[at(out.collective)]) +
                         ", not " + std::string(machine::chosen_collective_names[at(*said)]),
                     "ask for that, or give another file");
  } else {
    out = program_of(read_files(path), said.value_or(machine::ChosenCollective::all_reduce), path, problems);
  }
  if (problems.errors() > before) return {};
  out.name = std::filesystem::path(path).filename().string();
  if (const std::string stuck = textbook::why_stuck(out); !stuck.empty())
    problems.error({path, 0, 0, 1}, stuck, "every receive needs a send, and no step may wait for itself");
  return problems.errors() > before ? CollectiveProgram{} : out;
}

}  // namespace echo::machine_files
