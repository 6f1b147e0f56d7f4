#include "trace_io/chakra/chakra_groups.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "base/at.hpp"
#include "base/error.hpp"
#include "base/problems.hpp"

namespace echo::trace_io {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_ranks = 1 << 20;

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in)
    throw UserError({Problem{Place{path}, "the file cannot be read", "check the path and its permissions"}});
  return text;
}

// False where one of them is no rank, or stands there twice.
bool ranks_of(const Json& list, std::vector<std::int32_t>& out) {
  std::set<std::int64_t> seen;
  if (!list.is_array()) return false;
  for (const Json& one : list) {
    if (!one.is_number_integer()) return false;
    const auto rank = one.get<std::int64_t>();
    if (rank < 0 || rank >= most_ranks || !seen.insert(rank).second) return false;
    out.push_back(static_cast<std::int32_t>(rank));
  }
  return true;
}

bool is_group_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  try {
    return !read_group_file(path).empty();
  } catch (const UserError&) {
    return false;
  }
}

bool is_group_number(const std::string& name) {
  return !name.empty() && name.size() < 10 && name.front() != '0' &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool has_all_ranks(const trace::Group& group, std::int32_t world) {
  if (static_cast<std::int32_t>(group.ranks.size()) != world) return false;
  for (std::int32_t i = 0; i < world; ++i)
    if (group.ranks[at(i)] != i) return false;
  return true;
}

}  // namespace

ChakraGroups read_group_file(const std::string& path) {
  const auto fail = [&](const std::string& what) {
    throw UserError(
        {Problem{Place{path}, what, "write {\"1\": [0, 1], \"2\": [2, 3]}: one list of ranks per group"}});
  };
  Json json;
  try {
    json = Json::parse(text_of(path));
  } catch (const Json::parse_error& error) {
    fail("byte " + std::to_string(error.byte) + ": this is not JSON");
  } catch (const Json::out_of_range&) {  // 1e999
    fail("a number is out of range");
  }
  if (!json.is_object()) fail("this is not an object of groups");
  ChakraGroups out;
  Problems problems(path, Problems::places_of_a_trace);
  for (const auto& [name, list] : json.items())
    if (!ranks_of(list, out[name]))
      problems.error_at(0, 0, "group \"" + name + "\" is not a list of distinct ranks",
                        "list each GPU rank of it once");
  problems.throw_if_any();
  return out;
}

std::string group_file_beside(const std::string& folder, const std::string& prefix) {
  for (const std::string& name :
       {prefix + ".json", std::string("comm_group.json"), prefix + ".comm_group.json"}) {
    std::string path = (std::filesystem::path(folder) / name).string();
    if (is_group_file(path)) return path;
  }
  return {};
}

void add_listed_groups(const std::string& values, ChakraGroups& groups) {
  // The list is a string in a list of values: ['[{...}]'].
  const std::size_t begin = values.find("[{"), end = values.rfind("}]");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return;
  const Json json = Json::parse(values.substr(begin, end + 2 - begin), nullptr, false);
  if (json.is_discarded() || !json.is_array()) return;
  for (const Json& one : json) {
    const auto name = one.find("pg_name"), ranks = one.find("ranks");
    std::vector<std::int32_t> members;
    if (name == one.end() || ranks == one.end() || !name->is_string() || !ranks_of(*ranks, members)) continue;
    if (!members.empty()) groups.emplace(name->get<std::string>(), std::move(members));
  }
}

std::vector<std::string> pg_names(const trace::Trace& trace, bool numbered) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const trace::Group& group : trace.groups)
    if (is_group_number(group.name)) taken.insert(group.name);
  int number = 0;
  std::optional<trace::GroupRole> unnamed;  // two groups of all ranks that differ in their role stay two
  for (const trace::Group& group : trace.groups) {
    const bool has_all = has_all_ranks(group, trace.world);
    if (has_all && (numbered ? group.role == unnamed.value_or(group.role) : group.name == all_ranks_name)) {
      out.emplace_back();
      unnamed = group.role;
    } else if (!numbered || is_group_number(group.name)) {
      out.push_back(group.name);
    } else {
      while (taken.contains(std::to_string(++number))) continue;
      out.push_back(std::to_string(number));
    }
  }
  return out;
}

void write_group_file(const trace::Trace& trace, const std::vector<std::string>& names,
                      const std::string& path) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty())
      text += (text.empty() ? "{\n  " : ",\n  ") + Json(names[i]).dump() + ": " +
              Json(trace.groups[i].ranks).dump();
  if (text.empty()) return;
  std::ofstream out(path, std::ios::binary);
  out << text << "\n}\n";
  if (!out.flush())
    throw UserError(path + " cannot be written", "check the path and the space on its disk", 5);
}

}  // namespace echo::trace_io
