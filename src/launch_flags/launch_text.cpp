#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "launch_flags/write.hpp"

namespace echo::launch_flags {

namespace {

bool is_environment(const Setting& setting) { return setting.key.starts_with(environment_prefix); }

std::string export_line(const Setting& setting) {
  return fmt::format("export {}={}", setting.key.substr(std::string_view(environment_prefix).size()),
                     setting.value);
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  return text.find_first_not_of(plain) == std::string::npos ? text : "'" + text + "'";
}

bool is_list(const Table& table, const std::string& key) {
  return std::ranges::find(table.lists, key) != table.lists.end();
}

std::vector<std::string> members_of(const std::string& text) {
  std::vector<std::string> members;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    members.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return members;
}

std::string flag_text(const Setting& setting, const Table& table) {
  if (setting.value == "true") return setting.key;
  std::string text = setting.key;
  if (!is_list(table, setting.key)) return text + " " + shell_quoted(setting.value);
  for (const std::string& member : members_of(setting.value)) text += " " + shell_quoted(member);
  return text;
}

std::string script(const Settings& settings, const Table& table, const std::vector<std::string>& comments) {
  std::string text = "#!/bin/bash\n";
  for (const std::string& line : comments) text += "# " + line + "\n";
  for (const Setting& setting : settings)
    if (is_environment(setting)) text += export_line(setting) + "\n";
  text += "torchrun";
  const auto is_of_launcher = [](const Setting& setting) {
    return setting.key == "--nnodes" || setting.key == "--nproc-per-node";
  };
  for (const Setting& setting : settings)
    if (is_of_launcher(setting)) text += " " + flag_text(setting, table);
  text += " " + table.program;
  for (const Setting& setting : settings)
    if (!is_environment(setting) && !is_of_launcher(setting)) text += " \\\n  " + flag_text(setting, table);
  for (const Term& term : table.fixed) text += " \\\n  " + flag_text({term.name, term.value, {}}, table);
  return text + "\n";
}

// "true", numbers and null stand as they are; all else is quoted.
bool is_bare(const std::string& text) {
  if (text == "true" || text == "false" || text == "null") return true;
  if (text.empty() || text.find_first_not_of("0123456789.-") != std::string::npos) return false;
  return std::isdigit(static_cast<unsigned char>(text.back())) != 0 && std::ranges::count(text, '.') <= 1 &&
         text.find('-', 1) == std::string::npos;
}

std::string scalar(const std::string& text) { return is_bare(text) ? text : nlohmann::json(text).dump(); }

std::string value_of(const Setting& setting, const Table& table) {
  if (!is_list(table, setting.key)) return scalar(setting.value);
  std::string text;
  for (const std::string& member : members_of(setting.value))
    text += (text.empty() ? "" : ", ") + scalar(member);
  return "[" + text + "]";
}

// Settings by their paths.
struct Branch {
  std::string name, value;
  std::vector<Branch> below;
};

Branch tree_of(const Settings& settings, const Table& table) {
  Branch root;
  const auto put = [&](const Setting& setting) {
    Branch* at = &root;
    for (std::size_t begin = 0; begin <= setting.key.size();) {
      const std::size_t end = std::min(setting.key.find('.', begin), setting.key.size());
      const std::string part = setting.key.substr(begin, end - begin);
      auto found = std::ranges::find(at->below, part, &Branch::name);
      if (found == at->below.end()) found = at->below.insert(at->below.end(), Branch{part, "", {}});
      at = &*found;
      begin = end + 1;
    }
    at->value = value_of(setting, table);
  };
  for (const Setting& setting : settings)
    if (!is_environment(setting)) put(setting);
  for (const Term& term : table.fixed) put({term.name, term.value, {}});
  return root;
}

void add_yaml(const Branch& branch, int depth, std::string& text) {
  for (const Branch& below : branch.below) {
    if (below.name.starts_with('[')) {  // one of a list: its first line has the mark
      std::string item;
      add_yaml(below, depth + 1, item);
      item[static_cast<std::size_t>(depth) * 2] = '-';
      text += item;
      continue;
    }
    text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + below.name + ":";
    text += below.below.empty() ? " " + below.value + "\n" : "\n";
    add_yaml(below, depth + 1, text);
  }
}

void add_toml(const Branch& branch, const std::string& path, std::string& text) {
  for (const Branch& below : branch.below)
    if (below.below.empty()) text += below.name + " = " + below.value + "\n";
  for (const Branch& below : branch.below) {
    if (below.below.empty()) continue;
    const std::string name = path.empty() ? below.name : path + "." + below.name;
    text += "\n[" + name + "]\n";
    add_toml(below, name, text);
  }
}

void add_json(const Branch& branch, int depth, std::string& text) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  text += "{";
  for (std::size_t i = 0; i < branch.below.size(); ++i) {
    const Branch& below = branch.below[i];
    text += (i > 0 ? ",\n" : "\n") + indent + "  " + nlohmann::json(below.name).dump() + ": ";
    if (below.below.empty()) text += below.value;
    if (!below.below.empty()) add_json(below, depth + 1, text);
  }
  text += "\n" + indent + "}";
}

}  // namespace

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

std::string launch_text(const Settings& settings, const Table& table,
                        const std::vector<std::string>& comments) {
  std::vector<std::string> lines;
  for (const std::string& comment : comments) lines.push_back(one_line(comment));
  if (table.format == Format::flags) return script(settings, table, lines);
  for (const Setting& setting : settings)
    if (is_environment(setting)) lines.push_back(export_line(setting));
  Branch tree = tree_of(settings, table);
  std::string text;
  if (table.format == Format::json) {
    tree.below.insert(tree.below.begin(), Branch{"_comment", nlohmann::json(lines).dump(2), {}});
    add_json(tree, 0, text);
    return text + "\n";
  }
  for (const std::string& line : lines) text += "# " + line + "\n";
  if (table.format == Format::yaml) add_yaml(tree, 0, text);
  if (table.format == Format::toml) add_toml(tree, "", text);
  return text;
}

Settings exported_in_comments(const std::string& text, const std::string& file) {
  Settings found;
  std::int32_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string row = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t mark = row.find("export ");
    if (mark == std::string::npos || row.find_first_not_of(" #\"") != mark) continue;
    const std::size_t name = mark + std::string_view("export ").size(), equals = row.find('=', name);
    if (equals == std::string::npos) continue;
    const std::size_t value_end = std::min(row.find_first_of("\", \t\r", equals), row.size());
    found.push_back({environment_prefix + row.substr(name, equals - name),
                     row.substr(equals + 1, value_end - equals - 1),
                     {file, line, static_cast<std::int32_t>(name + 1), 1}});
  }
  return found;
}

}  // namespace echo::launch_flags
