// The sink of a worker under way: every row into its journal, every count to the dispatch.
#pragma once

#include <span>

#include "parallel/journal.hpp"
#include "parallel/work_dispatch.hpp"
#include "sweep/row.hpp"

namespace echo::parallel {

class JournalSink : public sweep::RowSink {
 public:
  JournalSink(Journal& journal, WorkDispatch& dispatch) : journal_(journal), dispatch_(dispatch) {}
  void accept(std::span<const sweep::Row> rows) override { journal_.append(rows), dispatch_.note(rows); }

 private:
  Journal& journal_;
  WorkDispatch& dispatch_;
};

}  // namespace echo::parallel
