// Reading a table. Problem: such a file belongs to a user: copied, merged, cut off by a full disk, or made
// by another program. The data read must equal the data written, or an error states why not. Idea: HDF5
// opens no file whose seal is wrong; codes are read by the names that the file gives them, sizes are checked
// before memory is allocated for them, and so is the digest over all data. The caller decides whether a row
// makes sense.
#include <algorithm>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "storage/seal.hpp"
#include "storage/table_bytes.hpp"
#include "storage/table_file.hpp"

namespace echo::storage {
namespace {

template <class Value>
double take_value(const std::vector<std::byte>& bytes, std::size_t row) {
  Value stored{};
  std::memcpy(&stored, bytes.data() + row * sizeof(Value), sizeof(Value));
  return static_cast<double>(stored);
}

double value_at(ElementType type, const std::vector<std::byte>& bytes, std::size_t row) {
  if (type == ElementType::i1) return take_value<std::int8_t>(bytes, row);
  return type == ElementType::i4 ? take_value<std::int32_t>(bytes, row) : take_value<double>(bytes, row);
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const TableSchema& schema)
      : path_(path), schema_(schema), file_(path, Hdf5File::Mode::read) {
    check_header();
  }

  TableContent read(const std::function<void(const TableColumn&, const ColumnContent&)>& take) {
    for (const TextGroup& group : schema_.groups) content_.groups.push_back(read_group(group));
    for (const TableColumn& column : schema_.columns) take(column, read_column(column));
    for (const TextRecords& records : content_.groups) add_records(digest_, records);
    content_.digest = digest_.hex();
    if (content_.digest != file_.text_attribute("/", "digest"))
      refuse("its content does not match its digest");
    return std::move(content_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_table(path_, schema_, why); }

  void check_header() {
    if (!file_.has_attribute("/", "schema") || file_.text_attribute("/", "schema") != schema_.name)
      refuse("it is an HDF5 file of something else");
    const std::string version = file_.text_attribute("/", "schema_version"), own = schema_.version;
    if (version.substr(0, version.find('.')) != own.substr(0, own.find('.')))
      refuse("its version is " + version + ", this program reads " + own);
    const std::uint64_t rows = length_of(path_of(schema_.columns.front()));
    // gzip expands one byte to 1032 at most: the file cannot contain more rows than that.
    constexpr std::uint64_t most_per_byte = 1032;
    if (rows > std::filesystem::file_size(path_) * most_per_byte || rows > schema_.most_rows)
      refuse("it declares more rows than it has, or more than the maximum");
    content_.rows = static_cast<std::size_t>(rows);
  }

  [[nodiscard]] std::uint64_t length_of(const std::string& path) const {
    if (!file_.has(path)) refuse("it has no " + path);
    const Shape shape = file_.shape(path);
    if (shape.size() != 1) refuse(path + " is not one-dimensional");
    return shape.front();
  }

  TextRecords read_group(const TextGroup& group) {
    constexpr std::uint64_t most = 1'000'000;
    TextRecords records;
    for (std::size_t text = 0; text < group.texts.size(); ++text) {
      const std::string path = path_of(group, text);
      const std::uint64_t count = length_of(path);
      if (count > most || (text > 0 && count != records.size()))
        refuse(path + " does not have one text for each of " + group.name);
      if (!file_.is_text(path)) refuse(path + " is not a text");
      const auto texts = file_.texts(path);
      records.resize(texts.size(), std::vector<std::string>(group.texts.size()));
      for (std::size_t record = 0; record < texts.size(); ++record) records[record][text] = texts[record];
    }
    return records;
  }

  ColumnContent read_column(const TableColumn& column) {
    const std::string path = path_of(column);
    if (length_of(path) != content_.rows) refuse(path + " has a different number of rows");
    if (file_.type(path) != column.type) refuse(path + " has a different type");
    std::vector<std::byte> bytes(content_.rows * size_of(column.type));
    file_.read_rows(path, 0, content_.rows, bytes.data());
    const std::string meanings =
        file_.has_attribute(path, "flag_meanings") ? file_.text_attribute(path, "flag_meanings") : "";
    add_column(digest_, bytes, meanings);
    ColumnContent out{std::vector<double>(content_.rows), names_in(meanings)};
    for (std::size_t row = 0; row < content_.rows; ++row) out.values[row] = value_at(column.type, bytes, row);
    if (column.is_coded()) check_codes(column, out);
    if (*column.index_of != '\0') check_index(column, out);
    return out;
  }

  void check_codes(const TableColumn& column, ColumnContent& content) const {
    std::vector<double> ours;  // [code of the file]; -1 = a word we do not know
    for (std::size_t code = 0; code < content.names.size(); ++code) {
      const auto found = std::find(column.meanings.begin(), column.meanings.end(), content.names[code]);
      const bool is_known = column.named_in_file || found != column.meanings.end();
      ours.push_back(!is_known              ? -1.0
                     : column.named_in_file ? static_cast<double>(code)
                                            : static_cast<double>(found - column.meanings.begin()));
    }
    for (double& value : content.values) {
      if (value < 0.0 || value >= static_cast<double>(ours.size()) ||
          ours[static_cast<std::size_t>(value)] < 0.0)
        refuse(path_of(column) + " has a code without a name that this program knows");
      value = ours[static_cast<std::size_t>(value)];
    }
  }

  void check_index(const TableColumn& column, const ColumnContent& content) const {
    const auto group = std::find_if(schema_.groups.begin(), schema_.groups.end(), [&](const TextGroup& one) {
      return std::string_view(one.name) == column.index_of;
    });
    const auto records =
        static_cast<double>(content_.groups[static_cast<std::size_t>(group - schema_.groups.begin())].size());
    for (const double value : content.values)
      if (value < 0.0 || value >= records) refuse(path_of(column) + " points past the end of " + group->name);
  }

  const std::filesystem::path& path_;
  const TableSchema& schema_;
  Hdf5File file_;
  TableContent content_;
  Digest digest_;
};

}  // namespace

void refuse_table(const std::filesystem::path& path, const TableSchema& schema, const std::string& why) {
  throw UserError("\"" + path.string() + "\" cannot be used as a " + schema.noun + ": " + why,
                  std::string("make it again with ") + schema.made_by, 2);
}

TableContent read_table(const std::filesystem::path& path, const TableSchema& schema,
                        const std::function<void(const TableColumn&, const ColumnContent&)>& take) {
  const std::string noun = schema.noun, made_by = schema.made_by;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw UserError("there is no " + noun + " \"" + path.string() + "\"",
                    "make one with " + made_by + " TABLE.csv -o FILE.h5", 2);
  if (!is_sealed(path))
    throw UserError(
        "\"" + path.string() + "\" is not a " + noun + ", or was changed or truncated after it was written",
        "copy it again, or make it again with " + made_by, 2);
  try {
    return Reader(path, schema).read(take);
  } catch (const UserError& failure) {
    if (failure.exit_code() == 2) throw;
    throw UserError(
        "\"" + path.string() + "\" cannot be used as a " + noun + ": " + failure.problems().front().what,
        "it is damaged or not an HDF5 file; make it again with " + made_by, 2);
  }
}

}  // namespace echo::storage
