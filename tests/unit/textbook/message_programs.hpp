// Algorithms of one dimension written out message by message: the slow twins of message_phase.hpp.
#pragma once

#include "base/at.hpp"
#include "machine/collective_program.hpp"
#include "textbook/algorithm.hpp"

namespace echo::textbook::testing {

class ProgramWriter {
 public:
  explicit ProgramWriter(std::int32_t ranks) : ranks_(ranks), own_(at(ranks)) {}

  // One phase: messages that start together; each rank's next phase waits for what it got in this one.
  struct Message {
    std::int32_t from, to;
    std::int64_t bytes;
  };
  void phase(const std::vector<Message>& messages) {
    std::vector<std::vector<std::int32_t>> next(at(ranks_));
    for (const Message& m : messages) {
      add(m.from, {.kind = machine::ProgramStepKind::send, .peer = m.to, .bytes = m.bytes});
      next[at(m.to)].push_back(
          add(m.to, {.kind = machine::ProgramStepKind::receive, .peer = m.from, .bytes = m.bytes}));
    }
    for (std::int32_t r = 0; r < ranks_; ++r) own_[at(r)].after = next[at(r)];
  }

  [[nodiscard]] machine::CollectiveProgram done() const {
    machine::CollectiveProgram out;
    out.ranks = ranks_;
    for (const Rank& rank : own_) {
      const auto first = static_cast<std::int32_t>(out.steps.size());
      out.rank_begin.push_back(first);
      for (std::size_t i = 0; i < rank.steps.size(); ++i) {
        out.steps.push_back(rank.steps[i]);
        for (const std::int32_t need : rank.needs[i]) out.needs.push(first + need);
        out.needs.close_row();
      }
    }
    out.rank_begin.push_back(static_cast<std::int32_t>(out.steps.size()));
    return out;
  }

 private:
  struct Rank {
    std::vector<machine::ProgramStep> steps;
    std::vector<std::vector<std::int32_t>> needs;
    std::vector<std::int32_t> after;  // what the next phase waits for
  };
  std::int32_t add(std::int32_t rank, machine::ProgramStep step) {
    Rank& own = own_[at(rank)];
    own.needs.push_back(own.after);
    own.steps.push_back(step);
    return static_cast<std::int32_t>(own.steps.size()) - 1;
  }
  std::int32_t ranks_;
  std::vector<Rank> own_;
};

inline machine::CollectiveProgram written_out(const Call& call, machine::DimensionAlgorithm algorithm,
                                              std::int32_t n) {
  using ops::CollectiveKind;
  ProgramWriter out(n);
  const bool scatters =
      call.kind == CollectiveKind::all_reduce || call.kind == CollectiveKind::reduce_scatter;
  const bool gathers = call.kind == CollectiveKind::all_reduce || call.kind == CollectiveKind::all_gather;
  const auto shifted = [&](std::int32_t apart, std::int64_t bytes, auto& messages) {
    for (std::int32_t r = 0; r < n; ++r) messages.push_back({r, (r + apart) % n, bytes});
  };
  std::vector<ProgramWriter::Message> messages;
  if (algorithm == machine::DimensionAlgorithm::ring) {
    const std::int32_t half = n - 1;
    const std::int32_t rounds =
        call.kind == CollectiveKind::all_to_all ? n * half / 2 : half * (scatters && gathers ? 2 : 1);
    shifted(1, piece_of(call.bytes, n), messages);
    for (std::int32_t i = 0; i < rounds; ++i) out.phase(messages);
  } else if (algorithm == machine::DimensionAlgorithm::direct) {
    for (std::int32_t apart = 1; apart < n; ++apart) shifted(apart, piece_of(call.bytes, n), messages);
    out.phase(messages);
    if (scatters && gathers) out.phase(messages);
  } else {
    const auto exchange = [&](std::int32_t apart) {
      messages.clear();
      for (std::int32_t r = 0; r < n; ++r)
        messages.push_back({r, r ^ apart, piece_of(call.bytes, 2 * std::int64_t{apart})});
      out.phase(messages);
    };
    if (scatters)
      for (std::int32_t apart = 1; apart < n; apart *= 2) exchange(apart);
    if (gathers)
      for (std::int32_t apart = n / 2; apart > 0; apart /= 2) exchange(apart);
  }
  return out.done();
}

}  // namespace echo::textbook::testing
