// The sink of a running worker: passes every row to its journal, with the blocks that rows complete, and
// every count to the dispatch.
#pragma once

#include <span>

#include "parallel/dispatch/work_dispatch.hpp"
#include "parallel/journal/journal.hpp"
#include "results/write/block_builder.hpp"
#include "sweep/run/row.hpp"

namespace echo::parallel {

class JournalSink : public sweep::RowSink {
 public:
  // Without `blocks` none are made.
  JournalSink(Journal& journal, WorkDispatch& dispatch, results::BlockBuilder* blocks = nullptr)
      : journal_(journal), dispatch_(dispatch), blocks_(blocks) {}
  void accept(std::span<const sweep::Row> rows) override {
    journal_.append(rows), dispatch_.note(rows);
    if (blocks_ == nullptr) return;
    for (const sweep::Row& row : rows)
      if (const auto parts = blocks_->add(row); !parts.empty())
        journal_.append_block(blocks_->first(), row.id + 1 - blocks_->first(), parts);
  }
  // Worker 0 has already reported poisoned points. A space that fails as a whole does not fill the disk with
  // texts.
  void note_failure(const sweep::Failure& failure) override {
    if (!dispatch_.is_poisoned(failure.id) && told_++ < most_told) journal_.append(failure);
  }

 private:
  static constexpr int most_told = 1000;
  Journal& journal_;
  WorkDispatch& dispatch_;
  results::BlockBuilder* blocks_;
  int told_ = 0;
};

}  // namespace echo::parallel
