#include "config/catalog/order_file.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <span>

#include "base/at.hpp"
#include "base/digest.hpp"
#include "config/toml/read_file.hpp"

namespace echo::config {
namespace {

using timeline::GivenOrder;
using timeline::Task;
using timeline::TaskKind;

constexpr std::int64_t most_tasks = 1'000'000;

// The tasks of one stage, written "F0 F1.1 B0": kind, microbatch, and the stage's chunk if it has several.
class StageReader {
 public:
  StageReader(const toml::node& node, const std::string& text, std::int32_t stage, const GivenOrder& order,
              Problems& problems)
      : place_(place_inside(node)), text_(text), stage_(stage), order_(order), problems_(problems) {}

  // Stores the position of each task, and of the end of the text, in `places`.
  bool read(std::vector<Task>& tasks, std::vector<Place>& places) {
    bool fine = true;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of(" \t\n\r", at), text_.size());
      if (end > at) {
        const Place place = place_of_token(at, end);
        if (const auto task = parse(std::string_view(text_).substr(at, end - at), place)) {
          tasks.push_back(*task), places.push_back(place);
        } else {
          fine = false;
        }
      }
      at = end + 1;
    }
    places.push_back(place_of_token(text_.size(), text_.size()));
    return fine;
  }

 private:
  // A text over several lines has no columns to point at.
  [[nodiscard]] Place place_of_token(std::size_t from, std::size_t to) const {
    Place place = place_;
    if (place_.length == 0 && !text_.empty()) return place;
    place.column += static_cast<std::int32_t>(from);
    place.length = std::max(1, static_cast<std::int32_t>(to - from));
    return place;
  }

  std::optional<Task> error(const Place& place, std::string what, std::string remedy) {
    problems_.error(place, std::move(what), std::move(remedy));
    return std::nullopt;
  }

  static bool number(std::string_view text, std::int32_t& out) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    return failed == std::errc() && end == text.data() + text.size() && out >= 0;
  }

  std::optional<Task> parse(std::string_view token, const Place& place) {
    const std::string word(token);
    const std::size_t dot = token.find('.');
    std::int32_t microbatch = 0, n = 0;
    const bool known = token.front() == 'F' || token.front() == 'B' || token.front() == 'W';
    const bool counted = known && number(token.substr(1, dot == token.npos ? dot : dot - 1), microbatch) &&
                         (dot == token.npos || number(token.substr(dot + 1), n));
    if (!counted)
      return error(place, "\"" + word + "\" is not a task",
                   "write F, B or W, the microbatch, and .1 for the second chunk of the stage: F0, B3.1");
    if (microbatch >= order_.microbatches)
      return error(place, "\"" + word + "\" names a microbatch that does not exist",
                   fmt::format("microbatches are 0 to {}", order_.microbatches - 1));
    if (n >= order_.chunks_per_stage)
      return error(place, "\"" + word + "\" names a chunk that does not exist",
                   fmt::format("chunks of a stage are 0 to {}", order_.chunks_per_stage - 1));
    const TaskKind back = order_.splits_backward ? TaskKind::backward_input : TaskKind::backward;
    const TaskKind kind = token.front() == 'F'   ? TaskKind::forward
                          : token.front() == 'B' ? back
                                                 : TaskKind::backward_weight;
    return Task{kind, timeline::chunk_on(order_, stage_, n), MicrobatchId(microbatch)};
  }

  const Place place_;
  const std::string& text_;
  const std::int32_t stage_;
  const GivenOrder& order_;
  Problems& problems_;
};

// The texts of the stages, first to last.
std::vector<const toml::value<std::string>*> texts_of(const toml::node& node, std::int32_t stages,
                                                      Problems& problems) {
  std::vector<const toml::value<std::string>*> texts;
  const toml::array* list = node.as_array();
  if (list != nullptr)
    for (const toml::node& stage : *list)
      if (stage.is_string()) texts.push_back(stage.as_string());
  if (list != nullptr && texts.size() == list->size() && std::ssize(texts) == stages) return texts;
  problems.error(place_of(node), fmt::format("order must be {} strings, one per stage", stages),
                 "write order = [\"F0 B0\", ...], the first stage first");
  return {};
}

bool read_tasks(const toml::node& node, GivenOrder& order, Problems& problems) {
  const auto texts = texts_of(node, order.stages, problems);
  if (texts.empty()) return false;
  for (const auto* text : texts) order.splits_backward |= text->get().find('W') != std::string::npos;
  bool fine = true;
  std::vector<std::vector<Place>> places(texts.size());
  for (std::size_t s = 0; s < texts.size(); ++s) {
    const auto stage = static_cast<std::int32_t>(s);
    fine &=
        StageReader(*texts[s], texts[s]->get(), stage, order, problems).read(order.tasks.value, places[s]);
    order.tasks.close_row();
  }
  if (!fine) return false;
  const auto flaw = timeline::flaw_of(order);
  if (!flaw) return true;
  problems.error(places[at(flaw->stage)][at(flaw->position)], flaw->what, flaw->remedy);
  return false;
}

// A digest of everything that matters, independent of the layout of the file.
std::string digest_of(const GivenOrder& order) {
  std::string text = fmt::format("{} {} {} {}:", order.stages, order.chunks_per_stage, order.microbatches,
                                 static_cast<int>(order.placement));
  for (std::int32_t s = 0; s < order.stages; ++s) {
    for (const Task& task : order.tasks.row(s)) text += timeline::spell(order, task) + " ";
    text += ";";
  }
  return fmt::format("{:016x}", hash64(std::as_bytes(std::span(text))));
}

}  // namespace

std::optional<GivenOrder> read_order(const std::string& name, const std::string& folder,
                                     const toml::node& named, Problems& problems) {
  const std::filesystem::path path =
      (std::filesystem::path(folder) / name.substr(std::string_view("file:").size())).lexically_normal();
  const auto text = read_whole_file(path.string());
  if (!text) {
    problems.error(place_of(named), "the file \"" + path.string() + "\" cannot be read",
                   "paths are relative to the sweep file");
    return std::nullopt;
  }
  const auto root = parse_toml(*text, path.string(), problems);
  if (!root) return std::nullopt;
  const int before = problems.errors();
  TableReader reader(*root, {path.string(), 1, 1, 1}, "an order of tasks", problems);
  std::int64_t stages = 1, chunks = 1, microbatches = 1;
  int placement = 0;
  reader.integer("stages", {1.0, 4096.0}, stages);
  reader.integer("chunks_per_stage", {1.0, 256.0}, chunks, Presence::optional);
  reader.integer("microbatches", {1.0, 1e6}, microbatches);
  reader.choice("placement", {"round_robin", "v"}, placement, Presence::optional);
  const toml::node* order = reader.node("order", Presence::require);
  reader.finish();
  if (problems.errors() > before) return std::nullopt;
  if (3 * stages * chunks * microbatches > most_tasks) {
    problems.error(reader.place(), "this order has over a million tasks",
                   "write an order of fewer microbatches");
    return std::nullopt;
  }
  GivenOrder given{.placement = static_cast<timeline::Placement>(placement),
                   .stages = static_cast<std::int32_t>(stages),
                   .chunks_per_stage = static_cast<std::int32_t>(chunks),
                   .microbatches = static_cast<std::int32_t>(microbatches)};
  if (!read_tasks(*order, given, problems)) return std::nullopt;
  timeline::count_held(given);
  given.name = name + "@" + digest_of(given);
  return given;
}

}  // namespace echo::config
