#include "results/write/block_builder.hpp"

#include <algorithm>
#include <optional>

#include "results/write/block_columns.hpp"
#include "results/write/block_packer.hpp"
#include "storage/chunk_filters.hpp"

namespace echo::results {
namespace {

class Builder : public BlockBuilder {
 public:
  Builder(const simulate::Catalog& catalog, const FileHeader& header, std::int32_t launch,
          std::int32_t worker)
      : catalog_(catalog), header_(header), launch_(launch), worker_(worker) {}

  std::vector<std::string> add(const sweep::Row& row) override {
    if (row.id != next_) begin(row.id);
    if (next_ < 0) return {};
    ++next_;
    held_.push_back({row, launch_, worker_});
    places_.push_back(row.id);
    const bool is_whole = next_ == std::min(first_ + block_rows, header_.ids);
    if (held_.size() == held_at_most || is_whole) put_held();
    if (!is_whole && (next_ - first_) % wide_chunk_rows == 0) packer_->pack_wide_chunk();
    return is_whole ? finish() : std::vector<std::string>{};
  }

  [[nodiscard]] std::int64_t first() const override { return first_; }

 private:
  static constexpr std::size_t held_at_most = 64;
  static_assert(wide_chunk_rows % held_at_most == 0);

  // Rows count from the beginning of a block on.
  void begin(std::int64_t row) {
    held_.clear(), places_.clear();
    next_ = row % block_rows == 0 ? row : -1;
    if (next_ < 0) return;
    if (!columns_) {
      FileState state;
      static_cast<FileHeader&>(state) = header_;
      columns_.emplace(catalog_, header_.terms, state, nullptr, wide_chunk_rows);
    }
    first_ = row;
    columns_->start(row);
    packer_.emplace(*columns_, header_.ids, filters_);
  }
  void put_held() {
    columns_->put(held_, places_);
    columns_->set_rows(next_ - first_);
    held_.clear(), places_.clear();
  }
  std::vector<std::string> finish() {
    next_ = -1;
    return parts_of(packer_->finish());
  }

  const simulate::Catalog& catalog_;
  const FileHeader header_;
  std::int32_t launch_, worker_;
  std::int64_t first_ = 0, next_ = -1;  // -1: in no block
  std::vector<FinishedRow> held_;
  std::vector<std::int64_t> places_;
  std::optional<BlockColumns> columns_;
  std::optional<BlockPacker> packer_;  // of the block
  storage::ChunkFilters filters_;
};

}  // namespace

std::unique_ptr<BlockBuilder> make_block_builder(const simulate::Catalog& catalog, const FileHeader& header,
                                                 std::int32_t launch, std::int32_t worker) {
  return std::make_unique<Builder>(catalog, header, launch, worker);
}

}  // namespace echo::results
