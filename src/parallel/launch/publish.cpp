#include "parallel/launch/publish.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "parallel/journal/journal.hpp"

namespace echo::parallel {
namespace {

constexpr std::size_t token_digits = 16;
constexpr std::string_view unfinished_ending = ".tmp";

std::filesystem::path unfinished_name(std::filesystem::path file, const std::string& token) {
  return file += "." + token + std::string(unfinished_ending);
}

// FILE.h5.TOKEN.tmp
bool is_unfinished(std::string_view name, const std::string& file) {
  if (name.size() != file.size() + 1 + token_digits + unfinished_ending.size()) return false;
  const auto token = name.substr(file.size() + 1, token_digits);
  return name.starts_with(file + ".") && name.ends_with(unfinished_ending) &&
         token.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void require(int error, const std::filesystem::path& file) {
  if (error != 0)
    throw UserError("cannot write \"" + file.string() + "\": " + std::strerror(error),
                    "free some space or choose another place with -o; rows written so far are kept", 5);
}

// A file that somebody else removed is gone all the same.
int remaining(int error) { return error == ENOENT ? 0 : error; }

}  // namespace

results::WriteSummary publish(const Surroundings& around, const Fence& fence,
                              const std::filesystem::path& file, const FileContents& contents) {
  Disk& disk = around.disk;
  const auto unfinished = unfinished_name(file, around.host.token());
  require(disk.open(unfinished, Disk::Use::create).error, file);
  try {
    results::WriteSummary summary = around.files.build(unfinished, contents);
    require(disk.sync(unfinished), file);
    fence.check();
    require(disk.rename(unfinished, file), file);
    require(disk.sync(folder_of(file)), file);
    return summary;
  } catch (...) {
    static_cast<void>(disk.remove(unfinished));
    throw;
  }
}

void remove_unfinished(Disk& disk, const std::filesystem::path& file) {
  const auto folder = folder_of(file);
  const auto names = disk.files(folder);
  require(names.error, file);
  for (const std::string& name : *names.it)
    if (is_unfinished(name, file.filename().string())) require(remaining(disk.remove(folder / name)), file);
}

bool remove_journals(Disk& disk, const Fence& fence, const std::filesystem::path& folder) {
  const auto names = disk.files(folder);
  if (names.error != 0) return false;
  bool are_gone = true;
  for (const std::string& name : *names.it) {
    if (!is_worker_file(name)) continue;
    fence.check();
    are_gone = disk.remove(folder / name) == 0 && are_gone;
  }
  fence.check();
  static_cast<void>(disk.remove_folder(folder));
  return are_gone;
}

}  // namespace echo::parallel
