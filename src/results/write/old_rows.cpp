#include "results/write/old_rows.hpp"

#include <algorithm>
#include <sstream>

#include "base/error.hpp"

namespace echo::results {
namespace {

template <class T>
std::vector<T> whole(const storage::Hdf5File& file, const std::string& path, std::int64_t rows) {
  std::vector<T> values(static_cast<std::size_t>(rows));
  file.read_rows(path, 0, values.size(), values.data());
  return values;
}

}  // namespace

OldRows::OldRows(const std::filesystem::path& path)
    : path_(existing(path)), file_(path, storage::Hdf5File::Mode::read), state_(read_state(file_, path)) {
  if (state_.schema_version != schema_version())
    throw UserError("\"" + path.string() + "\" has schema version " + state_.schema_version +
                        "; this program writes " + schema_version(),
                    "run its sweep again with this program, or use the program that wrote it", 5);
  ids_ = whole<std::uint64_t>(file_, "/config_id", state_.rows);
  numbers_ = whole<sweep::PointIndex>(file_, "/provenance/points/number", state_.rows);
  status_ = whole<std::int8_t>(file_, "/status", state_.rows);
  launches_ = read_launches(file_);
  failures_ = read_failures(file_);
  layer_tables_ = read_layer_tables(file_);
}

std::int32_t OldRows::next_launch() const {
  std::int32_t next = 0;
  for (const Launch& launch : launches_) next = std::max(next, launch.number + 1);
  return next;
}

std::vector<std::string> OldRows::meanings(const Column& column) const {
  const std::string path = std::string("/") + column.path;
  if (!file_.has_attribute(path, "flag_meanings")) return {};
  std::istringstream text(file_.text_attribute(path, "flag_meanings"));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

}  // namespace echo::results
