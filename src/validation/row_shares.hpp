// Distributes the rows of a table over workers; each is predicted by one worker, and all workers get all
// predictions.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "base/contract.hpp"
#include "parallel/session.hpp"

namespace echo::validation {

class RowShares {
 public:
  RowShares() = default;  // one worker does all
  explicit RowShares(const parallel::Session& session) : session_(&session) {}

  // `predict(i)` of every row i; its result must not depend on earlier rows. Rows are distributed
  // round robin, since neighbours in a table have similar costs. Collective: all workers know the same table.
  template <class Prediction, class Predict>
  [[nodiscard]] std::vector<Prediction> predict(std::size_t rows, Predict predict) const {
    static_assert(std::is_trivially_copyable_v<Prediction>);  // crosses MPI as bytes
    const std::size_t workers = session_ == nullptr ? 1 : static_cast<std::size_t>(session_->workers());
    const std::size_t own = session_ == nullptr ? 0 : static_cast<std::size_t>(session_->worker());
    std::vector<Prediction> all(rows);
    for (std::size_t i = own; i < rows; i += workers) all[i] = predict(i);
    for (std::size_t from = 0; from < workers && workers > 1; ++from) {
      std::string bytes;
      for (std::size_t i = from; i < rows && from == own; i += workers)
        bytes.append(reinterpret_cast<const char*>(&all[i]), sizeof(Prediction));
      session_->broadcast_bytes(bytes, static_cast<int>(from));
      ECHO_ENSURE(bytes.size() == sizeof(Prediction) * ((rows + workers - 1 - from) / workers));
      for (std::size_t i = from, at = 0; i < rows; i += workers, at += sizeof(Prediction))
        std::memcpy(&all[i], bytes.data() + at, sizeof(Prediction));
    }
    return all;
  }

 private:
  const parallel::Session* session_ = nullptr;
};

}  // namespace echo::validation
