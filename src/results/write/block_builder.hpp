// Makes whole blocks of the rows of one worker, for a file that has every point of its space: the row of a
// point has its number there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "results/file_header.hpp"
#include "simulate/catalog.hpp"
#include "sweep/run/row.hpp"

namespace echo::results {

class BlockBuilder {
 public:
  virtual ~BlockBuilder() = default;
  // A row, in the order in which the worker has them. The parts (block.hpp) of the block that it completes;
  // empty where it completes none: the worker does not have all of the block's rows one after the other.
  [[nodiscard]] virtual std::vector<std::string> add(const sweep::Row&) = 0;
  [[nodiscard]] virtual std::int64_t first() const = 0;  // the number of the first row of that block
};

// Keeps a reference to the catalogue. `launch` and `worker` did the rows.
[[nodiscard]] std::unique_ptr<BlockBuilder> make_block_builder(const simulate::Catalog&, const FileHeader&,
                                                               std::int32_t launch, std::int32_t worker);

}  // namespace echo::results
