// Reading a profile.
// Problem: such a file is a user's own: copied, merged, cut off by a full disk, or made by something else.
// What is read must be measurements, or an error that says why not. Idea: HDF5 sees no file whose seal is not
// right; codes are read by the names the file gives them, sizes are checked before room is made for them,
// every row is checked, and so is the digest over all of it.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "ops/canonical_kernel.hpp"
#include "storage/profile_file.hpp"
#include "storage/profile_values.hpp"
#include "storage/seal.hpp"

namespace echo::storage {
namespace {

using profile::Measurement;
using profile::Profile;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : name_(path.string()), file_(path, Hdf5File::Mode::read) {
    check_header(path);
  }

  ProfileFile read() {
    read_origins();
    profile_.rows.resize(rows_);
    for (const ProfileColumn& column : profile_columns()) read_column(column);
    add_origins(digest_, profile_);
    if (digest_.hex() != file_.text_attribute("/", "digest")) refuse("its content does not match its digest");
    for (std::size_t row = 0; row < rows_; ++row) {
      if (const char* problem = profile::why_unsound(profile_.rows[row]))
        refuse("row " + std::to_string(row) + ": " + problem);
      profile_.rows[row].key = ops::canonical(profile_.rows[row].key);
    }
    return {profile::tidied(std::move(profile_)), digest_.hex()};
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw UserError("\"" + name_ + "\" cannot be used as a profile: " + why,
                    "make it again with echo-sweep profile import", 2);
  }

  void check_header(const std::filesystem::path& path) {
    if (!file_.has_attribute("/", "schema") || file_.text_attribute("/", "schema") != profile_schema_name)
      refuse("it is an HDF5 file of something else");
    const std::string version = file_.text_attribute("/", "schema_version"), own = profile_schema_version();
    if (version.substr(0, version.find('.')) != own.substr(0, own.find('.')))
      refuse("its version is " + version + ", this program reads " + own);
    const Shape shape = shape_of("/row");
    // gzip makes 1032 bytes of one at most: more rows than that cannot be in the file.
    constexpr std::uint64_t most_per_byte = 1032;
    if (shape.front() > std::filesystem::file_size(path) * most_per_byte)
      refuse("it claims more rows than it holds");
    rows_ = static_cast<std::size_t>(shape.front());
  }

  [[nodiscard]] Shape shape_of(const std::string& path) const {
    if (!file_.has(path)) refuse("it has no " + path);
    Shape shape = file_.shape(path);
    if (shape.size() != 1) refuse(path + " is not one-dimensional");
    return shape;
  }

  void read_origins() {
    constexpr std::uint64_t most = 1'000'000;
    for (const OriginText& text : origin_texts()) {
      const bool is_first = text.path == origin_texts().front().path;
      const std::uint64_t count = shape_of(text.path).front();
      if (count > most || (!is_first && count != profile_.origins.size()))
        refuse(std::string(text.path) + " does not have one text an origin");
      if (!file_.is_text(text.path)) refuse(std::string(text.path) + " is no text");
      const auto texts = file_.texts(text.path);
      profile_.origins.resize(static_cast<std::size_t>(count));
      for (std::size_t origin = 0; origin < texts.size(); ++origin)
        profile_.origins[origin].*text.member = texts[origin];
    }
  }

  // The names of codes 0, 1, ... in this file.
  [[nodiscard]] static std::vector<std::string> words_of(const std::string& meanings) {
    std::istringstream text(meanings);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    return words;
  }

  void read_column(const ProfileColumn& column) {
    const std::string path = name_in_file(column);
    if (shape_of(path).front() != rows_) refuse(path + " has another number of rows");
    if (file_.type(path) != column.type) refuse(path + " is of another type");
    std::vector<std::byte> bytes(rows_ * size_of(column.type));
    file_.read_rows(path, 0, rows_, bytes.data());
    const std::string meanings =
        file_.has_attribute(path, "flag_meanings") ? file_.text_attribute(path, "flag_meanings") : "";
    add_column(digest_, bytes, meanings);
    if (std::string_view(column.name) == "gpu") profile_.gpus = words_of(meanings);
    if (const ops::KernelField* field = kernel_field(column.name))
      return set_field(column, *field, words_of(meanings), bytes);
    const auto access = profile_access(column.name);
    for (std::size_t row = 0; access && row < rows_; ++row) {
      const double value = value_at(column.type, bytes, row);
      check_code(column, value);
      access->set(profile_.rows[row], value);
    }
  }

  void check_code(const ProfileColumn& column, double value) const {
    const std::string_view name(column.name);
    const std::size_t codes = name == "gpu"      ? profile_.gpus.size()
                              : name == "origin" ? profile_.origins.size()
                                                 : column.meanings.size();
    const bool is_code = name == "gpu" || name == "origin" || !column.meanings.empty();
    if (is_code && (value < 0.0 || value >= static_cast<double>(codes)))
      refuse(name_in_file(column) + " holds a code without a name");
  }

  void set_field(const ProfileColumn& column, const ops::KernelField& field,
                 const std::vector<std::string>& words, const std::vector<std::byte>& bytes) {
    std::vector<std::int32_t> ours;  // [code of the file]; -1 = a word we do not know
    for (const std::string& word : words) {
      const auto found = std::find(field.names.begin(), field.names.end(), word);
      ours.push_back(found == field.names.end() ? -1
                                                : static_cast<std::int32_t>(found - field.names.begin()));
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      const auto value = static_cast<std::int32_t>(value_at(column.type, bytes, row));
      const bool has_name =
          value >= 0 && value < std::ssize(ours) && ours[static_cast<std::size_t>(value)] >= 0;
      if (!field.names.empty() && !has_name)
        refuse(name_in_file(column) + " holds a code without a name that this program knows");
      field.set(profile_.rows[row].key, has_name ? ours[static_cast<std::size_t>(value)] : value);
    }
  }

  [[nodiscard]] static std::string name_in_file(const ProfileColumn& column) {
    return std::string("/") + column.name;
  }

  std::string name_;
  Hdf5File file_;
  std::size_t rows_ = 0;
  Profile profile_;
  Digest digest_;
};

}  // namespace

ProfileFile read_profile(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw UserError("there is no profile \"" + path.string() + "\"",
                    "make one with echo-sweep profile import TABLE.csv -o FILE.h5", 2);
  if (!is_sealed(path))
    throw UserError("\"" + path.string() + "\" is no profile, or was changed or cut off since it was written",
                    "copy it again, or make it again with echo-sweep profile import", 2);
  try {
    return Reader(path).read();
  } catch (const UserError& failure) {
    if (failure.exit_code() == 2) throw;
    throw UserError(
        "\"" + path.string() + "\" cannot be used as a profile: " + failure.problems().front().what,
        "it is damaged or no HDF5 file; make it again with echo-sweep profile import", 2);
  }
}

}  // namespace echo::storage
