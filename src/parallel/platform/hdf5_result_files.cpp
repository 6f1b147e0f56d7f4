#include "base/contract.hpp"
#include "parallel/platform/result_files.hpp"
#include "results/verify_file.hpp"
#include "results/write/old_rows.hpp"

namespace echo::parallel {

std::optional<results::FileState> Hdf5ResultFiles::state(const std::filesystem::path& file) const {
  return results::read_whole_state(file);
}

std::unique_ptr<results::EarlierRows> Hdf5ResultFiles::open(const std::filesystem::path& file) const {
  return std::make_unique<results::OldRows>(file);
}

bool Hdf5ResultFiles::is_of_another_program(const std::filesystem::path& file) const {
  return results::is_of_another_program(file);
}

results::WriteSummary Hdf5ResultFiles::build(const std::filesystem::path& unfinished,
                                             const FileContents& contents) const {
  const auto* const old = dynamic_cast<const results::OldRows*>(contents.old);
  ECHO_EXPECT((old == nullptr) == (contents.old == nullptr));
  const results::CarriedFile one{old, contents.new_numbers, 0};
  return results::build_results(unfinished, contents.rows, catalog_, contents.header, contents.provenance,
                                {&one, old == nullptr ? std::size_t{0} : std::size_t{1}}, nearest_);
}

// The rows of a shard have other places in its file than in the space.
std::unique_ptr<results::BlockBuilder> Hdf5ResultFiles::make_blocks(const results::FileHeader& header,
                                                                    std::int32_t launch,
                                                                    std::int32_t worker) const {
  if (!header.shard.empty()) return nullptr;
  return results::make_block_builder(catalog_, header, launch, worker);
}

void Hdf5ResultFiles::verify(const std::filesystem::path& file, const results::WriteSummary& written) const {
  results::verify_results(file, written);
}

}  // namespace echo::parallel
