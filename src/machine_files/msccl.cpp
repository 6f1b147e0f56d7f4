// Source: microsoft/msccl, src/include/msccl/msccl_parser (scheduler XML), and Cowan et al., "MSCCLang:
// Microsoft Collective Communication Language", ASPLOS 2023. A thread block sends over one connection and
// receives over one; `chan` tells connections between two GPUs apart. What is copied or reduced within a GPU
// takes no time here but the reductions of what was received.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/at.hpp"
#include "machine_files/program_file.hpp"
#include "machine_files/xml_tags.hpp"

namespace echo::machine_files {
namespace {

using machine::CollectiveProgram;
using machine::ProgramStep;
using machine::ProgramStepKind;

struct StepType {
  std::string_view name;
  bool receives, reduces, sends;
};
constexpr std::array<StepType, 9> step_types{{{"s", false, false, true},
                                              {"r", true, false, false},
                                              {"rcs", true, false, true},
                                              {"rrc", true, true, false},
                                              {"rrs", true, true, true},
                                              {"rrcs", true, true, true},
                                              {"re", false, false, false},
                                              {"cpy", false, false, false},
                                              {"nop", false, false, false}}};
constexpr std::int64_t most_ranks = 65536, most_chunks = 1 << 24, most_steps = 1 << 24;

// One step of a thread block as the file has it, and what it became.
struct Wait {
  std::int32_t step = 0;  // of the program: its first
  std::int64_t block = -1, number = -1;
  Place place;
};

class MscclReader {
 public:
  MscclReader(const std::string& text, const std::string& file, Problems& problems)
      : text_(text), file_(file), problems_(problems) {}

  CollectiveProgram read() {
    const int before = problems_.errors();
    const std::vector<XmlTag> tags = tags_of(text_, file_, problems_);
    if (problems_.errors() > before) return {};
    if (tags.empty() || tags.front().name != "algo") {
      problems_.error({file_, 1, 1, 1}, "the file has no <algo> in front",
                      "give the XML of MSCCL's compiler");
      return {};
    }
    for (const XmlTag& tag : tags) take(tag);
    close_rank();
    out_.rank_begin.push_back(static_cast<std::int32_t>(out_.steps.size()));
    if (problems_.errors() == before && rank_ + 1 != out_.ranks)
      problems_.error(tags.front().place,
                      "ngpus is " + std::to_string(out_.ranks) + ", and there are " +
                          std::to_string(rank_ + 1) + " <gpu>",
                      "give every GPU from 0 on");
    return problems_.errors() > before ? CollectiveProgram{} : std::move(out_);
  }

 private:
  static const XmlAttribute* find(const XmlTag& tag, std::string_view name) {
    const auto found = std::ranges::find(tag.attributes, name, &XmlAttribute::name);
    return found == tag.attributes.end() ? nullptr : &*found;
  }
  std::int64_t number(const XmlTag& tag, std::string_view name, std::int64_t least, std::int64_t most) {
    const XmlAttribute* const found = find(tag, name);
    if (found == nullptr) {
      problems_.error(tag.place, "<" + tag.name + "> has no " + std::string(name), "add it");
      return least;
    }
    std::int64_t value = 0;
    const std::string& text = found->value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
      return value;
    problems_.error(found->place,
                    "\"" + text + "\" is not a " + std::string(name) + ", a whole number from " +
                        std::to_string(least) + " to " + std::to_string(most),
                    "correct it");
    return least;
  }

  void take(const XmlTag& tag) {
    if (!tag.opens) return;
    if (tag.name == "algo")
      open_algorithm(tag);
    else if (tag.name == "gpu")
      open_rank(tag);
    else if (tag.name == "tb")
      open_block(tag);
    else if (tag.name == "step")
      add_step(tag);
  }
  void open_algorithm(const XmlTag& tag) {
    const XmlAttribute* const name = find(tag, "name");
    const XmlAttribute* const collective = find(tag, "coll");
    out_.name = name == nullptr ? "msccl" : name->value;
    out_.ranks = static_cast<std::int32_t>(number(tag, "ngpus", 2, most_ranks));
    out_.bytes = number(tag, "nchunksperloop", 1, most_chunks);
    const auto kind = collective == nullptr ? std::nullopt : collective_of(collective->value);
    if (kind)
      out_.collective = *kind;
    else
      problems_.error(collective == nullptr ? tag.place : collective->place,
                      "coll is none of the collectives that can be replaced",
                      "write allreduce, allgather, reduce_scatter or alltoall");
  }
  void open_rank(const XmlTag& tag) {
    close_rank();
    ++rank_;
    if (number(tag, "id", 0, most_ranks) != rank_)
      problems_.error(tag.place, "GPUs are not in order: this is number " + std::to_string(rank_),
                      "sort them by id");
    out_.rank_begin.push_back(static_cast<std::int32_t>(out_.steps.size()));
  }
  void open_block(const XmlTag& tag) {
    block_ = number(tag, "id", 0, most_ranks);
    send_to_ = static_cast<std::int32_t>(number(tag, "send", -1, std::max(0, out_.ranks - 1)));
    receive_from_ = static_cast<std::int32_t>(number(tag, "recv", -1, std::max(0, out_.ranks - 1)));
    channel_ = static_cast<std::int32_t>(number(tag, "chan", 0, most_ranks));
    last_ = -1;
  }
  void add_step(const XmlTag& tag) {
    if (rank_ < 0 || block_ < 0) {
      problems_.error(tag.place, "a step outside of a thread block", "put it into <gpu> and <tb>");
      return;
    }
    const XmlAttribute* const name = find(tag, "type");
    const auto* const type =
        std::ranges::find(step_types, name == nullptr ? "" : std::string_view(name->value), &StepType::name);
    if (type == step_types.end()) {
      problems_.error(name == nullptr ? tag.place : name->place, "the step has none of the known types",
                      "write s, r, rcs, rrc, rrs, rrcs, re, cpy or nop");
      return;
    }
    if (out_.steps.size() >= most_steps) return;
    const std::int64_t which = number(tag, "s", 0, most_steps), chunks = number(tag, "cnt", 0, most_chunks);
    const auto first = static_cast<std::int32_t>(out_.steps.size());
    if (type->receives) add(tag, ProgramStepKind::receive, receive_from_, "recv", chunks, type->reduces);
    if (type->sends) add(tag, ProgramStepKind::send, send_to_, "send", chunks, false);
    if (!type->receives && !type->sends) {
      out_.steps.push_back({});
      needs_.push_back({});
      if (last_ >= 0) needs_.back().push_back(last_);
      last_ = first;
    }
    ends_[{block_, which}] = last_;
    const std::int64_t depends = number(tag, "depid", -1, most_ranks);
    if (depends >= 0) waits_.push_back({first, depends, number(tag, "deps", 0, most_steps), tag.place});
  }
  void add(const XmlTag& tag, ProgramStepKind kind, std::int32_t peer, const char* connection,
           std::int64_t chunks, bool reduces) {
    if (peer < 0 || peer == rank_)
      problems_.error(tag.place, "the thread block has no other GPU to " + std::string(connection),
                      "give it one in <tb ... " + std::string(connection) + "=\"1\">");
    out_.steps.push_back({.kind = kind, .reduces = reduces, .peer = peer, .tag = channel_, .bytes = chunks});
    needs_.push_back({});
    if (last_ >= 0) needs_.back().push_back(last_);
    last_ = static_cast<std::int32_t>(out_.steps.size()) - 1;
  }
  // Other blocks' steps may stand behind those that wait for them.
  void close_rank() {
    for (const Wait& wait : waits_) {
      const auto found = ends_.find({wait.block, wait.number});
      if (found == ends_.end())
        problems_.error(wait.place,
                        "the step waits for step " + std::to_string(wait.number) + " of thread block " +
                            std::to_string(wait.block) + ", which is not there",
                        "correct depid and deps");
      else if (found->second < wait.step || found->second > wait.step + 1)
        needs_[at(wait.step)].push_back(found->second);
    }
    for (std::size_t i = static_cast<std::size_t>(out_.needs.rows()); i < needs_.size(); ++i) {
      for (const std::int32_t need : needs_[i]) out_.needs.push(need);
      out_.needs.close_row();
    }
    waits_.clear(), ends_.clear();
    block_ = -1;
  }

  const std::string& text_;
  const std::string& file_;
  Problems& problems_;
  CollectiveProgram out_;
  std::vector<std::vector<std::int32_t>> needs_;                        // [steps]
  std::vector<Wait> waits_;                                             // of this GPU
  std::map<std::pair<std::int64_t, std::int64_t>, std::int32_t> ends_;  // of (block, number), of this GPU
  std::int32_t rank_ = -1, last_ = -1, send_to_ = -1, receive_from_ = -1, channel_ = 0;
  std::int64_t block_ = -1;
};

}  // namespace

CollectiveProgram read_msccl(const std::string& text, const std::string& file, Problems& problems) {
  return MscclReader(text, file, problems).read();
}

}  // namespace echo::machine_files
