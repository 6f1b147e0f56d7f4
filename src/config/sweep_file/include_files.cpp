#include "config/sweep_file/include_files.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "config/sweep_file/sweep_keys.hpp"
#include "config/toml/read_file.hpp"

namespace echo::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_included = 100;

// A canonical key, equal for two spellings of the same path.
std::string identity(const fs::path& path) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  return failed ? path.lexically_normal().string() : real.string();
}

class Includer {
 public:
  // `kept`: null where the files themselves are read.
  explicit Includer(Problems& problems, const toml::table* kept = nullptr)
      : problems_(problems), kept_(kept) {}

  void follow(const toml::table& root, const fs::path& file) {
    const toml::node* node = root.get("include");
    if (node == nullptr) return;
    open_.push_back(identity(file));
    if (node->is_string()) include(*node, file);
    if (const toml::array* list = node->as_array()) {
      for (const toml::node& one : *list) include(one, file);
    } else if (!node->is_string()) {
      problems_.error(place_of(*node), "include must be a list of files, not " + type_of(*node),
                      "write include = [\"site.toml\"]");
    }
    open_.pop_back();
  }
  std::vector<IncludedFile> found;

 private:
  void include(const toml::node& node, const fs::path& from) {
    const auto* name = node.as_string();
    if (name == nullptr) {
      return problems_.error(place_of(node), "include must be a list of files, not of " + type_of(node),
                             "write include = [\"site.toml\"]");
    }
    const fs::path path = (from.parent_path() / name->get()).lexically_normal();
    const std::string id = identity(path);
    if (std::find(open_.begin(), open_.end(), id) != open_.end()) {
      return problems_.error(place_of(node), "\"" + name->get() + "\" includes itself",
                             "break the cycle: " + cycle(id));
    }
    if (std::find(done_.begin(), done_.end(), id) != done_.end()) return;
    done_.push_back(id);
    if (done_.size() > most_included) {
      return problems_.error(place_of(node),
                             "more than " + std::to_string(most_included) + " files are included",
                             "include fewer files");
    }
    auto file = kept_ != nullptr ? look_up(node, path.string()) : read(node, path.string());
    if (!file) return;
    check_sections(file->root, path.string());
    follow(file->root, path);
    found.push_back(std::move(*file));
  }

  std::optional<IncludedFile> read(const toml::node& node, const std::string& path) {
    const auto text = read_whole_file(path);
    if (!text) {
      problems_.error(place_of(node), "the file \"" + path + "\" cannot be read",
                      "paths are relative to the file that includes them");
      return std::nullopt;
    }
    auto root = parse_toml(*text, path, problems_);
    if (!root) return std::nullopt;
    return IncludedFile{path, fingerprint(*text), std::move(*root)};
  }
  std::optional<IncludedFile> look_up(const toml::node& node, const std::string& path) {
    const toml::node* root = kept_->get(path);
    if (root != nullptr && root->is_table()) return IncludedFile{path, "", *root->as_table()};
    problems_.error(place_of(node), "the file \"" + path + "\" was not kept", "run the sweep again");
    return std::nullopt;
  }

  [[nodiscard]] std::string cycle(const std::string& id) const {
    std::string chain;
    for (auto at = std::find(open_.begin(), open_.end(), id); at != open_.end(); ++at)
      chain += fs::path(*at).filename().string() + " -> ";
    return chain + fs::path(id).filename().string();
  }

  void check_sections(const toml::table& root, const std::string& path) {
    TableReader reader(root, {path, 1, 1, 1}, "an included file", problems_);
    for (const char* key : {"include", "derive", "keep", "limit"}) reader.ignore(key);
    for (const std::string_view kind : included_sections()) reader.ignore(kind);
    std::vector<std::string> sweep_only{"space", "objective", "reliability", "what_if"};
    for (const Setting& setting : settings()) {
      const std::string_view name = setting.section.empty() ? setting.key : setting.section;
      sweep_only.emplace_back(name);
    }
    for (const Entry& entry : in_file_order(root)) {
      const std::string name(entry.key->str());
      if (std::find(sweep_only.begin(), sweep_only.end(), name) == sweep_only.end()) continue;
      reader.ignore(name);
      problems_.error(place_of(*entry.key), "an included file must not contain \"" + name + "\"",
                      "move it to the sweep");
    }
    reader.finish();
  }

  Problems& problems_;
  const toml::table* kept_;
  std::vector<std::string> open_, done_;  // files being read; files read
};

}  // namespace

std::vector<IncludedFile> read_includes(const toml::table& sweep, const std::string& path,
                                        Problems& problems) {
  Includer includer(problems);
  includer.follow(sweep, path);
  return std::move(includer.found);
}

std::vector<IncludedFile> kept_includes(const toml::table& sweep, const std::string& path,
                                        const toml::table& kept, Problems& problems) {
  Includer includer(problems, &kept);
  includer.follow(sweep, path);
  return std::move(includer.found);
}

std::vector<IncludedFile> read_named_files(const std::vector<std::string>& files, Problems& problems) {
  toml::array names;
  for (const std::string& file : files) names.push_back(file);
  toml::table root;
  root.insert("include", std::move(names));
  return read_includes(root, "", problems);
}

}  // namespace echo::config
