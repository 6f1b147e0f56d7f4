#include "trace_io/model/rank_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

namespace fs = std::filesystem;

constexpr std::int32_t most_ranks = 1 << 20;

struct Name {
  std::string prefix;
  std::int32_t rank = -1;  // -1: none in it
};

// "a.3.et" -> a, 3; "a.et" -> a, -1. False where the ending is another.
bool take_apart(std::string_view file, std::string_view ending, Name& out) {
  if (!file.ends_with(ending) || file.size() == ending.size()) return false;
  file.remove_suffix(ending.size());
  out = {std::string(file), -1};
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return true;
  const std::string_view digits = file.substr(dot + 1);
  std::int32_t rank = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0 && rank < most_ranks)
    out = {std::string(file.substr(0, dot)), rank};
  return true;
}

// [prefix] files with a number, and those without as rank -1.
std::map<std::string, std::vector<RankFile>> files_of(const fs::path& folder, std::string_view ending) {
  std::map<std::string, std::vector<RankFile>> out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    Name name;
    if (take_apart(entry.path().filename().string(), ending, name))
      out[name.prefix].push_back({name.rank, entry.path().string()});
  }
  for (auto& [prefix, files] : out)
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
      return std::pair(a.rank, a.path) < std::pair(b.rank, b.path);
    });
  return out;
}

RankFiles of_prefix(const fs::path& folder, const std::string& prefix, std::vector<RankFile> files) {
  if (files.size() > 1 && files.front().rank < 0) files.erase(files.begin());  // x.et beside x.0.et, x.1.et
  if (files.front().rank < 0) files.front().rank = 0;
  for (std::size_t i = 1; i < files.size(); ++i)
    if (files[i].rank == files[i - 1].rank)
      throw UserError(files[i - 1].path + " and " + files[i].path + " have the same rank",
                      "remove one of them");
  return {folder.string(), prefix, files, files.back().rank + 1};
}

bool has_number(const std::pair<const std::string, std::vector<RankFile>>& one) {
  return one.second.back().rank >= 0;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

RankFiles one_file(const fs::path& path, std::string_view ending) {
  Name name{path.filename().string(), -1};
  take_apart(name.prefix, ending, name);
  RankFiles out{folder_of(path).string(), name.prefix, {{std::max(name.rank, 0), path.string()}}, 1};
  const auto beside = files_of(out.folder, ending);
  if (const auto found = beside.find(name.prefix); name.rank >= 0 && found != beside.end())
    out.ranks = found->second.back().rank + 1;
  out.ranks = std::max(out.ranks, out.files.front().rank + 1);
  return out;
}

}  // namespace

bool has_rank_files(const std::string& folder, std::string_view ending) {
  return !files_of(folder, ending).empty();
}

RankFiles find_rank_files(const std::string& path, std::string_view ending) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    auto found = files_of(path, ending);
    if (found.empty())
      throw UserError(path + " has no " + std::string(ending) + " files", "give the folder that has them");
    if (std::any_of(found.begin(), found.end(), has_number))  // a file of groups may stand beside them
      std::erase_if(found, [](const auto& one) { return !has_number(one); });
    if (found.size() > 1)
      throw UserError(path + " holds several traces: " + found.begin()->first + ", " +
                          std::next(found.begin())->first + (found.size() > 2 ? ", ..." : ""),
                      "choose one: FOLDER/" + found.begin()->first);
    return of_prefix(path, found.begin()->first, std::move(found.begin()->second));
  }
  if (fs::exists(path, error)) return one_file(path, ending);
  const fs::path folder = folder_of(path);
  auto found = files_of(folder, ending);
  const std::string prefix = fs::path(path).filename().string();
  if (const auto files = found.find(prefix); files != found.end())
    return of_prefix(folder, prefix, std::move(files->second));
  throw UserError(
      path + " is neither a file nor a folder, and " + path + ".0" + std::string(ending) + " does not exist",
      "check the path");
}

std::string missing_ranks(const RankFiles& all) {
  std::string out;
  std::size_t missing = 0, next = 0;
  for (std::int32_t rank = 0; rank < all.ranks; ++rank) {
    if (next < all.files.size() && all.files[next].rank == rank) {
      ++next;
      continue;
    }
    if (++missing <= 8) out += (missing == 1 ? "" : ", ") + std::to_string(rank);
  }
  if (missing == 0) return {};
  return std::to_string(missing) + " of " + std::to_string(all.ranks) + " ranks are not read: " + out +
         (missing > 8 ? ", ..." : "");
}

}  // namespace echo::trace_io
