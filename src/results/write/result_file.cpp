// Two passes over the rows: one finds which names are used (codes must be known before the first column is
// written) and which carried rows count, one writes batch by batch. The file is built beside its final path,
// read back column by column, and renamed: the read-back both proves that the disk holds what was written
// and provides the flat, schema-ordered stream from which rows_digest is computed.
#include "results/write/result_file.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "results/rank/effects.hpp"
#include "results/rank/objectives.hpp"
#include "results/rank/robust_front.hpp"
#include "results/read_rows.hpp"
#include "results/verify_file.hpp"
#include "results/write/carried_provenance.hpp"
#include "results/write/carry.hpp"
#include "results/write/column_bytes.hpp"
#include "results/write/column_writer.hpp"
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

void survey(Job& job) {
  std::vector<FinishedRow> batch;
  auto carried = job.carried.begin(), kept = job.carried.begin();
  for (std::int64_t first = 0; first < job.stream.size(); first += batch_rows) {
    batch.resize(at(std::min(batch_rows, job.stream.size() - first)));
    job.stream.read(first, batch);
    for (const FinishedRow& finished : batch) {
      survey_row(job, finished);
      for (; carried != job.carried.end() && carried->number < finished.row.id; ++carried) *kept++ = *carried;
      if (carried != job.carried.end() && carried->number == finished.row.id) ++carried;  // replaced
    }
  }
  kept = std::move(carried, job.carried.end(), kept);
  job.carried.erase(kept, job.carried.end());
  for (const CarriedRow& row : job.carried) ++job.by_status.at(at(job.files[row.file].rows->status(row.row)));
}

struct ReadBack {
  std::string rows_digest;           // over all columns, one after the other
  std::vector<std::string> columns;  // of each column alone
};

ReadBack read_back(const std::filesystem::path& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  ReadBack result;
  Digest whole;
  std::vector<std::byte> bytes;
  for (const Column& column : column_table()) {
    if (!file.has(path_of(column))) continue;  // younger than the file
    Digest alone;
    const storage::Shape shape = file.shape(path_of(column));
    const auto rows = static_cast<std::int64_t>(shape.at(0));
    const auto row_bytes = std::accumulate(shape.begin() + 1, shape.end(),
                                           storage::size_of(file.type(path_of(column))), std::multiplies<>());
    for (std::int64_t first = 0; first < rows; first += batch_rows) {
      const auto count = static_cast<std::uint64_t>(std::min(batch_rows, rows - first));
      bytes.resize(count * row_bytes);
      file.read_rows(path_of(column), static_cast<std::uint64_t>(first), count, bytes.data());
      whole.add(bytes);
      alone.add(bytes);
    }
    result.columns.push_back(alone.hex());
  }
  result.rows_digest = whole.hex();
  return result;
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

Findings look_at(const std::filesystem::path& path, const NearestFinder& nearest) {
  const ResultFile rows(path);
  Findings found{.objectives = two_objectives(rows.state().objectives)};
  found.front = robust_front(rows, found.objectives[0], found.objectives[1]);
  found.effects = main_effects(rows, found.objectives[0].metric);
  for (const auto& objective : found.objectives) found.columns.push_back(rows.at(objective.metric));
  if (nearest) found.nearest = nearest(rows);
  return found;
}

std::string build(const std::filesystem::path& path, Job& job) {
  const CodeTables codes(job.used, names_of(job.files, job.carried), job.catalog, job.header.limit_names);
  const Provenance provenance = with_carried(job.provenance, job.files);
  Hdf5File file(path, Hdf5File::Mode::create_with_sums);
  write_header(file, job.header, job.rows(), job.by_status);
  make_columns(file, job.rows(), codes, job.header);
  write_rules(file, codes);
  write_provenance(file, provenance, job.layer_tables, static_cast<std::uint64_t>(job.rows()));
  ColumnWriter writer(file, {job.catalog, codes, job.header.terms}, job.files, job.layer_tables);
  FailedPlaces failed(provenance.failures);
  MergedRows rows(job.stream, job.carried);
  MergedBatch batch;
  for (rows.next(batch); batch.size() > 0; rows.next(batch)) writer.write(batch), failed.see(batch);
  write_failures(file, provenance.failures, failed.places());
  file.close();

  const ReadBack back = read_back(path);
  if (back.columns != writer.digests())
    throw UserError("\"" + path.string() + "\" does not read back as it was written",
                    "the disk or its network file system is failing; write elsewhere with -o", 5);
  const Findings findings = look_at(path, job.header.is_partial ? NearestFinder() : job.nearest);
  Hdf5File finished(path, Hdf5File::Mode::update);
  findings.write(finished);
  describe_groups(finished);
  finished.set_attribute("/", "rows_digest", back.rows_digest);
  finished.set_attribute("/", "rows_digest_algorithm", digest_algorithm);
  finished.set_attribute("/", "state", job.header.is_partial ? "partial" : "complete");
  finished.close();
  return back.rows_digest;
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

void verify_results(const std::filesystem::path& file, const WriteSummary& written) {
  const auto state = read_whole_state(file);
  if (state && state->rows == written.rows && state->rows_digest == written.rows_digest &&
      digest_of(file) == written.rows_digest)
    return;
  throw UserError(
      "\"" + file.string() + "\" does not read back as it was written",
      "the disk or its network file system is failing; the journals stay: write elsewhere with -o", 5);
}

std::string digest_of(const std::filesystem::path& file) { return read_back(file).rows_digest; }

}  // namespace echo::results
