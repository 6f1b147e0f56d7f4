// Written to a temporary file and renamed, so that readers see a complete file or none.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>

#include "base/contract.hpp"
#include "base/error.hpp"
#include "storage/seal.hpp"
#include "storage/table_bytes.hpp"
#include "storage/table_file.hpp"
#include "storage/unfinished_file.hpp"

namespace echo::storage {
namespace {

constexpr std::uint64_t chunk_rows = 16384;
constexpr std::size_t most_names = 127;  // codes are one byte

template <class Value>
void append(std::vector<std::byte>& bytes, Value value) {
  const std::size_t end = bytes.size();
  bytes.resize(end + sizeof value);
  std::memcpy(bytes.data() + end, &value, sizeof value);
}

// The schemas have these three types. All NaN are written as one: which of them arithmetic produces is not
// specified.
std::vector<std::byte> bytes_of(const TableColumn& column, const TableSource& source) {
  ECHO_EXPECT(column.type == ElementType::i1 || column.type == ElementType::i4 ||
              column.type == ElementType::f8);
  std::vector<std::byte> bytes;
  bytes.reserve(source.rows * size_of(column.type));
  std::vector<double> values(source.rows);
  std::iota(values.begin(), values.end(), 0.0);  // of the scale
  if (std::string_view(column.role) != "scale") values = source.values(column);
  for (const double value : values) {
    if (column.type == ElementType::i1) append(bytes, static_cast<std::int8_t>(value));
    if (column.type == ElementType::i4) append(bytes, static_cast<std::int32_t>(value));
    if (column.type == ElementType::f8)
      append(bytes, std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  return bytes;
}

std::vector<std::string> names_of(const TableColumn& column, const TableSource& source) {
  if (column.named_in_file) return source.names(column);
  return {column.meanings.begin(), column.meanings.end()};
}

void describe(Hdf5File& file, const TableColumn& column, const std::vector<std::string>& names) {
  const std::string path = path_of(column);
  file.set_attribute(path, "units", column.units);
  file.set_attribute(path, "long_name", column.long_name);
  file.set_attribute(path, "description", column.description);
  file.set_attribute(path, "role", column.role);
  if (names.empty()) return;  // not coded, or a file without rows, which has no names of its own
  std::vector<std::int8_t> values(names.size());
  std::iota(values.begin(), values.end(), std::int8_t{0});
  file.set_attribute(path, "flag_values", values);
  file.set_attribute(path, "flag_meanings", meanings_text(names));
}

void write_group(Hdf5File& file, const TextGroup& group, const TextRecords& records) {
  const std::string path = std::string("/") + group.name;
  file.make_group(path);
  file.set_attribute(path, "description", group.description);
  for (std::size_t text = 0; text < group.texts.size(); ++text) {
    std::vector<std::string> texts;
    for (const auto& record : records) texts.push_back(record[text]);
    file.make_texts(path_of(group, text), texts);
  }
}

std::string write_all(const std::filesystem::path& path, const TableSchema& schema,
                      const TableSource& source) {
  const std::uint64_t rows = source.rows;
  Digest digest;
  Hdf5File file(path, Hdf5File::Mode::create);
  file.set_attribute("/", "Conventions", "EchoSweep-1.0");
  file.set_attribute("/", "schema", schema.name);
  file.set_attribute("/", "schema_version", schema.version);
  file.set_attribute("/", "n_rows", static_cast<std::int64_t>(rows));
  for (const TableColumn& column : schema.columns) {
    DatasetSpec spec{path_of(column), column.type, {rows}, {}};
    if (rows > 0) spec.chunk = {std::min(rows, chunk_rows)};
    file.make_dataset(spec);
    if (std::string_view(column.role) == "scale")
      file.make_scale(spec.path);
    else
      file.attach_scale(spec.path, 0, path_of(schema.columns.front()));
    const std::vector<std::string> names = names_of(column, source);
    describe(file, column, names);
    const std::vector<std::byte> bytes = bytes_of(column, source);
    file.write_rows(spec.path, 0, rows, bytes.data());
    add_column(digest, bytes, meanings_text(names));
  }
  for (std::size_t group = 0; group < schema.groups.size(); ++group) {
    write_group(file, schema.groups[group], source.groups[group]);
    add_records(digest, source.groups[group]);
  }
  file.set_attribute("/", "digest", digest.hex());
  file.set_attribute("/", "digest_algorithm", digest_algorithm);
  file.close();
  return digest.hex();
}

}  // namespace

std::string write_table(const std::filesystem::path& file, const TableSchema& schema,
                        const TableSource& source) {
  for (const TableColumn& column : schema.columns)
    if (names_of(column, source).size() > most_names)
      throw UserError(std::string("a ") + schema.noun + " can have at most 127 kinds of " + column.long_name,
                      "write several files", 2);
  UnfinishedFile unfinished(file);
  std::string digest = write_all(unfinished.path(), schema, source);
  seal(unfinished.path());
  unfinished.move_into_place();
  return digest;
}

}  // namespace echo::storage
