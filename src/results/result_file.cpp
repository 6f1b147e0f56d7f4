// Two passes over the rows: one finds which names are used (codes must be known before the first column is
// written), one writes batch by batch. The file is built beside its place, read back column by column, and
// renamed: the read-back is both the proof that the disk holds what we wrote and the flat, schema-ordered
// stream that rows_digest is taken of.
#include "results/result_file.hpp"

#include <string>
#include <utility>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/lane.hpp"
#include "results/column_bytes.hpp"
#include "results/fill.hpp"
#include "results/provenance.hpp"
#include "training/memory.hpp"

namespace echo::results {
namespace {

using storage::Hdf5File;

// A batch is whole chunks of every column, so that each chunk is compressed once.
constexpr std::int64_t batch_rows = 16384;      // 12 MB of rows
constexpr std::int64_t chunk_rows = 16384;      // 128 KiB of doubles
constexpr std::int64_t wide_chunk_rows = 4096;  // of two-dimensional columns

constexpr std::array<const char*, 5> count_names{"n_feasible", "n_infeasible", "n_failed", "n_over_budget",
                                                 "n_pending"};

std::string path_of(const Column& column) { return std::string("/") + column.path; }

template <class Visit>
void for_each_batch(RowStream& rows, Visit visit) {
  std::vector<FinishedRow> batch;
  for (std::int64_t first = 0; first < rows.size(); first += batch_rows) {
    batch.resize(static_cast<std::size_t>(std::min(batch_rows, rows.size() - first)));
    rows.read(first, batch);
    visit(first, std::span<const FinishedRow>(batch));
  }
}

struct FirstPass {
  std::map<Names, std::set<std::int64_t>> used;
  std::array<std::int64_t, 5> by_status{};
};

FirstPass survey(RowStream& rows, const simulate::Catalog& catalog) {
  FirstPass seen;
  for_each_batch(rows, [&](std::int64_t first, std::span<const FinishedRow> batch) {
    for (const FinishedRow& finished : batch) {
      const Context context{finished.row, catalog, first};
      for (const Column& column : column_table())
        if (names_a_table(column)) seen.used[column.names].insert(column.filler->integer(context));
      ++seen.by_status.at(static_cast<std::size_t>(finished.row.report.status));
    }
  });
  return seen;
}

void describe_column(Hdf5File& file, const Column& column, const CodeTables& codes) {
  const std::string path = path_of(column);
  file.set_attribute(path, "units", column.units);
  file.set_attribute(path, "long_name", column.long_name);
  file.set_attribute(path, "description", column.description);
  file.set_attribute(path, "role", name_of(column.role));
  if (column.objective[0] != '\0') file.set_attribute(path, "objective", column.objective);
  if (column.names == Names::none) return;
  const auto meanings = codes.meanings(column);
  if (meanings.empty()) return;  // a file without rows names nothing
  std::vector<std::int8_t> values;
  std::string joined;
  for (const std::string& meaning : meanings) {
    values.push_back(static_cast<std::int8_t>(values.size()));
    joined += (joined.empty() ? "" : " ") + meaning;
  }
  file.set_attribute(path, "flag_values", values);
  file.set_attribute(path, "flag_meanings", joined);
}

void make_part_scale(Hdf5File& file, const std::string& path, std::span<const std::string_view> names,
                     const char* long_name) {
  file.make_texts(path, std::vector<std::string>(names.begin(), names.end()));
  file.make_scale(path);
  file.set_attribute(path, "long_name", long_name);
}

void make_columns(Hdf5File& file, std::int64_t rows, const CodeTables& codes) {
  file.make_group("/breakdown");
  make_part_scale(file, "/breakdown/part", part_names, "what step time is spent on");
  make_part_scale(file, "/breakdown/mem_part", training::memory_part_names, "what memory holds");
  for (const Column& column : column_table()) {
    storage::DatasetSpec spec{path_of(column), column.type, {static_cast<std::uint64_t>(rows)}, {}};
    const bool is_wide = width_of(column) > 1;
    if (rows > 0)
      spec.chunk = {static_cast<std::uint64_t>(std::min(rows, is_wide ? wide_chunk_rows : chunk_rows))};
    if (is_wide) {
      spec.shape.push_back(static_cast<std::uint64_t>(width_of(column)));
      if (rows > 0) spec.chunk.push_back(spec.shape.back());
    }
    file.make_dataset(spec);
    if (column.role == Role::scale)
      file.make_scale(spec.path);
    else
      file.attach_scale(spec.path, 0, "/config");
    if (is_wide) file.attach_scale(spec.path, 1, std::string("/breakdown/") + column.dimension);
    describe_column(file, column, codes);
  }
}

void write_header(Hdf5File& file, const FileHeader& header, std::int64_t rows, const FirstPass& seen) {
  std::string coordinates;  // xarray makes these coordinates
  for (const Column& column : column_table())
    if (column.role == Role::input)
      coordinates += (coordinates.empty() ? "" : " ") + std::string(column.path);
  file.set_attribute("/", "Conventions", "EchoSweep-1.0");
  file.set_attribute("/", "schema", schema_name);
  file.set_attribute("/", "schema_version", schema_version());
  file.set_attribute("/", "name", header.name);
  file.set_attribute("/", "title", header.title);
  file.set_attribute("/", "sweep_key", header.sweep_key);
  file.set_attribute("/", "coordinates", coordinates);
  file.set_attribute("/", "n_total", rows);
  file.set_attribute("/", "n_done",
                     rows - seen.by_status[static_cast<std::size_t>(training::Status::pending)]);
  for (std::size_t i = 0; i < count_names.size(); ++i)
    file.set_attribute("/", count_names[i], seen.by_status[i]);
}

// Digests of single columns, in schema order: what was written, to be held against what is read back.
std::vector<std::string> write_all(Hdf5File& file, RowStream& rows, const simulate::Catalog& catalog,
                                   const CodeTables& codes) {
  const auto columns = column_table();
  std::vector<Digest> digests(columns.size());
  std::vector<std::byte> bytes;
  for_each_batch(rows, [&](std::int64_t first, std::span<const FinishedRow> batch) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      column_bytes(columns[i], batch, first, catalog, codes, bytes);
      digests[i].add(bytes);
      file.write_rows(path_of(columns[i]), static_cast<std::uint64_t>(first), batch.size(), bytes.data());
    }
    write_points(file, batch, static_cast<std::uint64_t>(first));
  });
  std::vector<std::string> written;
  for (const Digest& digest : digests) written.push_back(digest.hex());
  return written;
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
    Digest alone;
    const auto rows = static_cast<std::int64_t>(file.shape(path_of(column)).front());
    const auto row_bytes = static_cast<std::size_t>(width_of(column)) * storage::size_of(column.type);
    for (std::int64_t first = 0; first < rows; first += chunk_rows) {
      const auto count = static_cast<std::uint64_t>(std::min(chunk_rows, rows - first));
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

std::string build(const std::filesystem::path& path, RowStream& rows, const simulate::Catalog& catalog,
                  const FileHeader& header, const Provenance& provenance, const FirstPass& seen) {
  const CodeTables codes(seen.used, catalog);
  Hdf5File file(path, Hdf5File::Mode::create);
  write_header(file, header, rows.size(), seen);
  make_columns(file, rows.size(), codes);
  write_provenance(file, provenance, static_cast<std::uint64_t>(rows.size()));
  const auto written = write_all(file, rows, catalog, codes);
  file.close();

  const ReadBack back = read_back(path);
  if (back.columns != written)
    throw UserError("\"" + path.string() + "\" does not read back as it was written",
                    "the disk or its network file system is failing; write elsewhere with -o", 5);
  Hdf5File finished(path, Hdf5File::Mode::update);
  finished.set_attribute("/", "rows_digest", back.rows_digest);
  finished.set_attribute("/", "rows_digest_algorithm", digest_algorithm);
  finished.set_attribute("/", "state", "complete");
  finished.close();
  return back.rows_digest;
}

}  // namespace

WriteSummary write_results(const std::filesystem::path& file, RowStream& rows,
                           const simulate::Catalog& catalog, const FileHeader& header,
                           const Provenance& provenance) {
  const auto folder = std::filesystem::absolute(file).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // a failure shows when the file is made
  auto unfinished = file;
  unfinished += ".tmp";
  const FirstPass seen = survey(rows, catalog);
  try {
    std::string digest = build(unfinished, rows, catalog, header, provenance, seen);
    storage::sync_to_disk(unfinished);
    std::filesystem::rename(unfinished, file);
    storage::sync_to_disk(folder);
    return {std::move(digest), rows.size(), seen.by_status};
  } catch (const std::filesystem::filesystem_error& failure) {
    throw UserError(failure.what(), "choose another place with -o", 5);
  } catch (...) {
    std::filesystem::remove(unfinished, error);
    throw;
  }
}

std::optional<FileState> read_state(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const Hdf5File file(path, Hdf5File::Mode::read);
  if (!file.has_attribute("/", "schema") || file.text_attribute("/", "schema") != schema_name)
    throw UserError("\"" + path.string() + "\" is an HDF5 file, but not a result of this program",
                    "choose another file with -o", 5);
  FileState state{.sweep_key = file.text_attribute("/", "sweep_key"),
                  .schema_version = file.text_attribute("/", "schema_version"),
                  .name = file.text_attribute("/", "name"),
                  .rows = file.integer_attribute("/", "n_total")};
  for (std::size_t i = 0; i < count_names.size(); ++i)
    state.by_status[i] = file.integer_attribute("/", count_names[i]);
  state.complete = file.has_attribute("/", "state") && file.text_attribute("/", "state") == "complete";
  if (state.complete) state.rows_digest = file.text_attribute("/", "rows_digest");
  return state;
}

std::string digest_of(const std::filesystem::path& file) { return read_back(file).rows_digest; }

}  // namespace echo::results
