// Codes must be known before the first column is written, so that the names that rows use are found first:
// blocks know theirs (block.hpp), other rows are looked at. Then block follows block, packed by a worker
// while it ran or here. The file is built beside its final path and read back chunk by chunk as it is stored:
// what the disk holds is what was written. What the file says about all its rows is joined from blocks; only
// the neighbourhood of the front is read again.
#include "results/write/result_file.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/at.hpp"
#include "base/error.hpp"
#include "results/rank/effects.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "results/read_rows.hpp"
#include "results/rows_digest.hpp"
#include "results/verify_file.hpp"
#include "results/write/block_columns.hpp"
#include "results/write/block_packer.hpp"
#include "results/write/block_writer.hpp"
#include "results/write/carried_provenance.hpp"
#include "results/write/carry.hpp"
#include "results/write/fill.hpp"
#include "results/write/front_group.hpp"
#include "results/write/layout.hpp"
#include "results/write/merged_rows.hpp"
#include "storage/unfinished_file.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

// All contents of a file, and the findings of the first pass.
struct Job {
  RowStream& stream;
  const simulate::Catalog& catalog;
  const FileHeader& header;
  const Provenance& provenance;
  std::span<const CarriedFile> files;
  const NearestFinder& nearest;
  std::vector<std::string> layer_tables;
  std::vector<CarriedRow> carried;  // those the stream does not replace
  std::map<Names, std::set<std::int64_t>> used;
  std::array<std::int64_t, 5> by_status{};
  [[nodiscard]] std::int64_t rows() const {
    return stream.size() + static_cast<std::int64_t>(carried.size());
  }
};

std::vector<std::string> layer_texts(const simulate::Catalog& catalog) {
  std::vector<std::string> texts;
  for (const auto& table : catalog.layer_tables) {
    texts.emplace_back();
    for (const std::int32_t layers : table)
      texts.back() += (texts.back().empty() ? "" : " ") + std::to_string(layers);
  }
  return texts;
}

void survey_row(Job& job, const FinishedRow& finished) {
  const Context context{finished.row, job.catalog, job.header.terms};
  for (const Column& column : column_table())
    if (names_a_table(column)) job.used[column.names].insert(column.filler->integer(context));
  ++job.by_status.at(at(finished.row.report.status));
}

void survey_block(Job& job, const Block& block) {
  auto names = block.names.begin();
  for (const Column& column : column_table())
    if (names_a_table(column)) job.used[column.names].insert(names->begin(), names->end()), ++names;
  for (std::size_t i = 0; i < job.by_status.size(); ++i) job.by_status[i] += block.findings.by_status[i];
}

void survey(Job& job) {
  const std::vector<CarriedRow> all = std::move(job.carried);
  job.carried.clear();
  MergedRows rows(job.stream, {});
  MergedBatch batch;
  auto carried = all.begin();
  for (;;) {
    if (const auto head = all.empty() ? rows.next_head() : std::nullopt) {
      survey_block(job, head->block);
      rows.skip_block(*head);
      continue;
    }
    rows.next(batch);
    if (batch.size() == 0) break;
    for (const FinishedRow& finished : batch.fresh) {
      survey_row(job, finished);
      for (; carried != all.end() && carried->number < finished.row.id; ++carried)
        job.carried.push_back(*carried);
      if (carried != all.end() && carried->number == finished.row.id) ++carried;  // replaced
    }
  }
  job.carried.insert(job.carried.end(), carried, all.end());
  for (const CarriedRow& row : job.carried) ++job.by_status.at(at(job.files[row.file].rows->status(row.row)));
}

// Blocks of rows that come one by one, of the stream and of older files.
class BlockAssembler {
 public:
  BlockAssembler(const Job& job, const FileState& state, const CodeTables& codes)
      : job_(job),
        carrier_(job.files, codes, job.layer_tables),
        columns_(job.catalog, job.header.terms, state, &codes) {}

  // Batches in order, from the first row of a block on; the block that one completes.
  std::optional<Block> add(const MergedBatch& batch) {
    if (batch.first % block_rows == 0) columns_.start(batch.first);
    columns_.put(batch.fresh, batch.fresh_places);
    if (!batch.carried.empty()) put_carried(batch);
    if (batch.end() % block_rows != 0 && batch.end() != job_.rows()) return std::nullopt;
    columns_.set_rows(batch.end() - columns_.first());
    return BlockPacker(columns_, job_.rows(), filters_).finish();
  }

 private:
  void put_carried(const MergedBatch& batch) {
    for (std::size_t i = 0; i < row_datasets().size(); ++i) {
      const RowDataset& dataset = row_datasets()[i];
      if (dataset.column == nullptr)
        carrier_.point_bytes(dataset, batch.carried, bytes_);
      else if (dataset.column->role == Role::scale)
        place_bytes(batch.carried_places);
      else
        carrier_.column_bytes(*dataset.column, batch.carried, bytes_);
      columns_.put(i, bytes_, batch.carried_places);
    }
  }
  void place_bytes(std::span<const std::int64_t> places) {
    bytes_.clear();
    for (const std::int64_t place : places) {
      const auto stored = static_cast<std::int32_t>(place);
      const auto raw = std::as_bytes(std::span(&stored, 1));
      bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    }
  }
  const Job& job_;
  Carrier carrier_;
  BlockColumns columns_;
  storage::ChunkFilters filters_;
  std::vector<std::byte> bytes_;
};

void write_rows(Job& job, const CodeTables& codes, BlockWriter& writer, FailedPlaces& failed) {
  FileState state;
  static_cast<FileHeader&>(state) = job.header;
  state.ids = job.rows();
  std::optional<BlockAssembler> assembler;
  MergedRows rows(job.stream, job.carried);
  MergedBatch batch;
  for (;;) {
    if (auto head = rows.next_head()) {
      failed.see(head->block.first, head->block.rows);
      rows.take_block(*head, head->block.columns);
      writer.place(std::move(head->block));
      continue;
    }
    rows.next(batch);
    if (batch.size() == 0) return;
    failed.see(batch);
    if (!assembler) assembler.emplace(job, state, codes);
    if (auto block = assembler->add(batch)) writer.place(std::move(*block));
  }
}

// Tables that a file derives from its own rows: /pareto and /effects, which do not exist without a feasible
// row, and /nearest.
struct Findings {
  std::vector<sweep::Objective> objectives;
  std::vector<FrontPoint> front;
  std::vector<MainEffect> effects;
  std::vector<ColumnInfo> columns;  // of the objectives
  std::vector<NearestEntry> nearest;

  void write(Hdf5File& file) const {
    if (!front.empty()) {
      write_front(file, front, objectives, columns);
      file.set_attribute("/", "NX_class", "NXroot");
      file.set_attribute("/", "default", "pareto");
    }
    if (!effects.empty()) write_effects(file, effects, objectives[0].metric);
    write_nearest(file, nearest);
  }
};

Findings look_at(const std::filesystem::path& path, const RowFindings& of_rows,
                 const NearestFinder& nearest) {
  const ResultFile rows(path);
  Findings found{.objectives = two_objectives(rows.state().objectives)};
  found.front = robust_front(rows, found.objectives[0], found.objectives[1], of_rows.outline);
  found.effects = main_effects(rows, of_rows.effects);
  for (const auto& objective : found.objectives) found.columns.push_back(rows.at(objective.metric));
  if (nearest) found.nearest = nearest(rows);
  return found;
}

// What is known once all rows are written.
struct Written {
  std::string rows_digest, stored_digest;
  RowFindings findings;
};

Written write_file(const std::filesystem::path& path, Job& job) {
  const CodeTables codes(job.used, names_of(job.files, job.carried), job.catalog, job.header.limit_names);
  const Provenance provenance = with_carried(job.provenance, job.files);
  Hdf5File file(path, Hdf5File::Mode::create_with_sums);
  write_header(file, job.header, job.rows(), job.by_status);
  make_columns(file, job.rows(), codes, job.header);
  write_rules(file, codes);
  write_provenance(file, provenance, job.layer_tables, static_cast<std::uint64_t>(job.rows()));
  BlockWriter writer(file, codes, job.header, job.rows());
  FailedPlaces failed(provenance.failures);
  write_rows(job, codes, writer, failed);
  write_failures(file, provenance.failures, failed.places());
  file.close();
  return {writer.rows_digest(), writer.stored_digest(), writer.findings()};
}

std::string build(const std::filesystem::path& path, Job& job) {
  const Written written = write_file(path, job);
  if (stored_digest_of(Hdf5File(path, Hdf5File::Mode::read), job.rows()) != written.stored_digest)
    throw UserError("\"" + path.string() + "\" does not read back as it was written",
                    "the disk or its network file system is failing; write elsewhere with -o", 5);
  const Findings findings =
      look_at(path, written.findings, job.header.is_partial ? NearestFinder() : job.nearest);
  Hdf5File finished(path, Hdf5File::Mode::update);
  findings.write(finished);
  if (job.provenance.search) write_search(finished, *job.provenance.search);
  describe_groups(finished);
  finished.set_attribute("/", "rows_digest", written.rows_digest);
  finished.set_attribute("/", "rows_digest_algorithm", rows_digest_algorithm);
  finished.set_attribute("/", "state", job.header.is_partial ? "partial" : "complete");
  finished.close();
  return written.rows_digest;
}

}  // namespace

WriteSummary build_results(const std::filesystem::path& unfinished, RowStream& rows,
                           const simulate::Catalog& catalog, const FileHeader& header,
                           const Provenance& provenance, std::span<const CarriedFile> carried,
                           const NearestFinder& nearest) {
  Job job{.stream = rows,
          .catalog = catalog,
          .header = header,
          .provenance = provenance,
          .files = carried,
          .nearest = nearest,
          .layer_tables = layer_texts(catalog),
          .carried = carried_rows(carried),
          .used = {}};
  survey(job);
  std::string digest = build(unfinished, job);
  return {std::move(digest), job.rows(), job.by_status};
}

WriteSummary write_results(const std::filesystem::path& file, RowStream& rows,
                           const simulate::Catalog& catalog, const FileHeader& header,
                           const Provenance& provenance, std::span<const CarriedFile> carried) {
  storage::UnfinishedFile unfinished(file);
  WriteSummary summary = build_results(unfinished.path(), rows, catalog, header, provenance, carried);
  unfinished.move_into_place();
  return summary;
}

WriteSummary write_results(const std::filesystem::path& file, RowStream& rows,
                           const simulate::Catalog& catalog, const FileHeader& header,
                           const Provenance& provenance, const OldRows* old,
                           std::span<const sweep::PointIndex> new_numbers) {
  const CarriedFile one{old, new_numbers, 0};
  return write_results(file, rows, catalog, header, provenance,
                       std::span<const CarriedFile>(&one, old == nullptr ? 0 : 1));
}

// All bytes agree with their checksums, which were made of bytes that had read back as they were written.
void verify_results(const std::filesystem::path& file, const WriteSummary& written) {
  const auto state = read_whole_state(file);
  if (state && state->rows == written.rows && state->rows_digest == written.rows_digest) return;
  throw UserError(
      "\"" + file.string() + "\" does not read back as it was written",
      "the disk or its network file system is failing; the journals stay: write elsewhere with -o", 5);
}

}  // namespace echo::results
