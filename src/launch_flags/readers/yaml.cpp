// Reading YAML: settings by their paths.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "launch_flags/readers/readers.hpp"

namespace echo::launch_flags {

namespace {

constexpr int deepest = 32;

class Flattener {
 public:
  Flattener(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  void visit(const YAML::Node& node, const std::string& path, int depth) {
    if (stopped_) return;
    if (depth > deepest)
      return stop(node, "this is nested deeper than " + std::to_string(deepest) + " levels");
    if (node.IsMap()) {
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) {
          problems_.error(place(entry.first), "a key must be a word", "write it as NAME: value");
          continue;
        }
        visit(entry.second, path.empty() ? entry.first.Scalar() : path + "." + entry.first.Scalar(),
              depth + 1);
      }
    } else if (node.IsSequence()) {
      sequence(node, path, depth);
    } else if (node.IsScalar()) {
      add(path, node.Scalar(), node);
    } else if (node.IsNull() && !path.empty()) {
      add(path, "null", node);
    }
  }

  Settings found;

 private:
  [[nodiscard]] Place place(const YAML::Node& node) const {
    const YAML::Mark mark = node.Mark();
    return {file_, mark.line + 1, mark.column + 1, 1};
  }
  void stop(const YAML::Node& node, const std::string& what) {
    stopped_ = true;
    problems_.error(place(node), what, "give the file of one launch");
  }
  void sequence(const YAML::Node& node, const std::string& path, int depth) {
    const bool is_plain =
        std::all_of(node.begin(), node.end(), [](const auto& one) { return one.IsScalar(); });
    std::string list;
    std::size_t number = 0;
    for (const auto& one : node) {
      if (is_plain) {
        if (list.size() > most_launch_bytes) return stop(node, "this list is too long");
        list += (number > 0 ? " " : "") + one.Scalar();
      } else {
        visit(one, path + "." + name_of(one, number), depth + 1);
      }
      ++number;
    }
    if (is_plain) add(path, list, node);
  }
  // "[Name]" of an object whose class is a.b.Name, else its number in the list.
  static std::string name_of(const YAML::Node& node, std::size_t number) {
    if (!node.IsMap() || !node["_target_"] || !node["_target_"].IsScalar()) return std::to_string(number);
    const std::string& name = node["_target_"].Scalar();
    const std::size_t dot = name.rfind('.');
    return "[" + (dot == std::string::npos ? name : name.substr(dot + 1)) + "]";
  }
  void add(const std::string& path, const std::string& value, const YAML::Node& node) {
    size_ += path.size() + value.size();
    if (found.size() >= most_settings || size_ > most_launch_bytes)
      return stop(node, "the file has more settings than a launch file has");
    found.push_back({path, value, place(node)});
  }

  const std::string& file_;
  Problems& problems_;
  std::size_t size_ = 0;
  bool stopped_ = false;
};

// "${a.b}": what stands there, however often that refers further; others stay as they are.
void follow_references(Settings& settings) {
  std::map<std::string, std::string, std::less<>> values;
  for (const Setting& setting : settings) values[setting.key] = setting.value;
  constexpr int most_steps = 8;
  for (Setting& setting : settings) {
    for (int step = 0; step < most_steps; ++step) {
      const std::string& text = setting.value;
      if (!text.starts_with("${") || !text.ends_with("}")) break;
      const auto named = values.find(std::string_view(text).substr(2, text.size() - 3));
      if (named == values.end()) break;
      setting.value = named->second;
    }
  }
}

}  // namespace

Settings read_yaml(const std::string& text, const std::string& file, Problems& problems) {
  if (text.size() > most_launch_bytes) {
    problems.error({file, 0, 0, 1}, "the file is larger than 4 MiB", "give the file of one launch");
    return {};
  }
  try {
    const YAML::Node root = YAML::Load(text);
    if (!root.IsMap()) {
      problems.error({file, 1, 1, 1}, "the file is no map of settings",
                     "write NAME: value, each on a line of its own");
      return {};
    }
    Flattener flattener(file, problems);
    flattener.visit(root, "", 0);
    follow_references(flattener.found);
    return std::move(flattener.found);
  } catch (const YAML::Exception& error) {
    problems.error({file, error.mark.line + 1, error.mark.column + 1, 1}, "this is not YAML: " + error.msg,
                   "correct it there or shortly before");
  }
  return {};
}

}  // namespace echo::launch_flags
