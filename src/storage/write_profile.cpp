// Written beside its place and renamed, so that readers see a whole file or none.
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "storage/profile_file.hpp"
#include "storage/profile_values.hpp"
#include "storage/seal.hpp"

namespace echo::storage {
namespace {

using profile::Profile;

constexpr std::uint64_t chunk_rows = 16384;

// --------------------------------------------------------------------------------------------------

void describe(Hdf5File& file, const ProfileColumn& column, const Profile& profile) {
  const std::string path = std::string("/") + column.name;
  file.set_attribute(path, "units", column.units);
  file.set_attribute(path, "long_name", column.long_name);
  file.set_attribute(path, "description", column.description);
  file.set_attribute(path, "role", column.role);
  const std::string meanings = meanings_text(column, profile);
  if (meanings.empty()) return;  // not coded, or a file without rows, which names no GPU
  const std::size_t codes = column.meanings.empty() ? profile.gpus.size() : column.meanings.size();
  std::vector<std::int8_t> values(codes);
  std::iota(values.begin(), values.end(), std::int8_t{0});
  file.set_attribute(path, "flag_values", values);
  file.set_attribute(path, "flag_meanings", meanings);
}

void write_origins(Hdf5File& file, const Profile& profile) {
  file.make_group("/origins");
  file.set_attribute("/origins", "description", profile_origin_description());
  for (const OriginText& text : origin_texts()) {
    std::vector<std::string> texts;
    for (const profile::Origin& origin : profile.origins) texts.push_back(origin.*text.member);
    file.make_texts(text.path, texts);
  }
}

std::string write_all(const std::filesystem::path& path, const Profile& profile) {
  const std::uint64_t rows = profile.rows.size();
  Digest digest;
  Hdf5File file(path, Hdf5File::Mode::create);
  file.set_attribute("/", "Conventions", "EchoSweep-1.0");
  file.set_attribute("/", "schema", profile_schema_name);
  file.set_attribute("/", "schema_version", profile_schema_version());
  file.set_attribute("/", "n_rows", static_cast<std::int64_t>(rows));
  for (const ProfileColumn& column : profile_columns()) {
    DatasetSpec spec{std::string("/") + column.name, column.type, {rows}, {}};
    if (rows > 0) spec.chunk = {std::min(rows, chunk_rows)};
    file.make_dataset(spec);
    if (std::string_view(column.role) == "scale")
      file.make_scale(spec.path);
    else
      file.attach_scale(spec.path, 0, "/row");
    describe(file, column, profile);
    const std::vector<std::byte> bytes = column_bytes(column, profile);
    file.write_rows(spec.path, 0, rows, bytes.data());
    add_column(digest, bytes, meanings_text(column, profile));
  }
  write_origins(file, profile);
  add_origins(digest, profile);
  file.set_attribute("/", "digest", digest.hex());
  file.set_attribute("/", "digest_algorithm", digest_algorithm);
  file.close();
  return digest.hex();
}

}  // namespace

std::string write_profile(const std::filesystem::path& file, const Profile& given) {
  constexpr std::size_t most_gpus = 127;  // codes are one byte
  const Profile profile = profile::tidied(given);
  if (profile.gpus.size() > most_gpus)
    throw UserError("a profile holds 127 kinds of GPU at most", "write several files", 2);
  auto unfinished = file;
  unfinished += ".tmp";
  std::error_code error;
  try {
    std::string digest = write_all(unfinished, profile);
    seal(unfinished);
    sync_to_disk(unfinished);
    std::filesystem::rename(unfinished, file);
    sync_to_disk(std::filesystem::absolute(file).parent_path());
    return digest;
  } catch (const std::filesystem::filesystem_error& failure) {
    std::filesystem::remove(unfinished, error);
    throw UserError(failure.what(), "choose another place with -o", 5);
  } catch (...) {
    std::filesystem::remove(unfinished, error);
    throw;
  }
}

}  // namespace echo::storage
