#include "config/sweep_file/axis_domain.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "base/at.hpp"
#include "base/named_table.hpp"

namespace echo::config {
namespace {

using sweep::Axis;
using Numbers = std::vector<std::int64_t>;

std::string name_of(Axis axis) { return std::string(sweep::info_of(axis).name); }

// The machines, models and batches in the axes of a sub-space.
class Facts {
 public:
  Facts(const std::vector<ReadDimension>& space, const simulate::Catalog& catalog)
      : space_(space), catalog_(catalog) {}

  [[nodiscard]] Numbers values(Axis axis) const {
    Numbers found;
    if (const ReadAxis* const read = find_axis(space_, axis)) {
      for (const sweep::AxisValue& value : read->column.values) found.push_back(value.number);
    }
    return found;
  }
  [[nodiscard]] Numbers models(
      const std::function<std::int64_t(const training::ModelSpec&)>& property) const {
    return properties(Axis::model, catalog_.models, property);
  }
  [[nodiscard]] Numbers clusters(
      const std::function<std::int64_t(const machine::ClusterSpec&)>& property) const {
    return properties(Axis::cluster, catalog_.clusters, property);
  }
  [[nodiscard]] Numbers capacities() const {
    return clusters([](const machine::ClusterSpec& c) { return std::int64_t{c.nodes} * c.gpus_per_node; });
  }
  [[nodiscard]] Numbers gpu_counts() const {
    return find_axis(space_, Axis::gpus) != nullptr ? values(Axis::gpus) : capacities();
  }
  [[nodiscard]] Numbers lengths() const {
    if (find_axis(space_, Axis::seq_len) != nullptr) return values(Axis::seq_len);
    return models([](const training::ModelSpec& m) { return m.max_positions; });
  }
  [[nodiscard]] Numbers batches() const {  // in sequences
    const ReadAxis* const read = find_axis(space_, Axis::global_batch);
    if (read == nullptr || !read->tokens) return values(Axis::global_batch);
    Numbers sequences;
    for (const std::int64_t tokens : values(Axis::global_batch)) {
      for (const std::int64_t length : lengths()) {
        const bool whole = length > 0 && tokens % length == 0 && tokens / length <= INT32_MAX;
        if (whole) sequences.push_back(tokens / length);
      }
    }
    return sequences;
  }

 private:
  // `property` of every preset of `table` that the axis names; of none when the axis is missing.
  template <class Table>
  [[nodiscard]] Numbers properties(
      Axis axis, const Table& table,
      const std::function<std::int64_t(const typename Table::value_type&)>& property) const {
    Numbers found;
    const ReadAxis* const read = find_axis(space_, axis);
    if (read == nullptr) return found;
    for (const sweep::AxisValue& value : read->column.values) {
      const std::int32_t index = find_named(table, value.text);
      if (index >= 0) found.push_back(property(table[at(index)]));
    }
    return found;
  }
  const std::vector<ReadDimension>& space_;
  const simulate::Catalog& catalog_;
};

constexpr std::size_t most_divided = 1024;  // numbers; each costs the root of its size

std::set<std::int64_t> divisors(const Numbers& numbers, std::int64_t limit) {
  std::set<std::int64_t> all;
  for (const std::int64_t number : std::set<std::int64_t>(numbers.begin(), numbers.end())) {
    for (std::int64_t d = 1; d * d <= number; ++d) {
      if (number % d != 0) continue;
      for (const std::int64_t one : {d, number / d}) {
        if (one <= limit) all.insert(one);
      }
    }
  }
  return all;
}

struct Divided {
  Numbers numbers;
  std::int64_t limit = INT32_MAX;
};

Divided divided_by(Axis axis, const Facts& facts) {
  const auto layers = [](const training::ModelSpec& m) { return m.layers; };
  switch (axis) {
    case Axis::tp:
      return {facts.clusters([](const machine::ClusterSpec& c) { return c.scale_up_domain; })};
    case Axis::pp: {
      const Numbers depths = facts.models(layers);
      return {facts.gpu_counts(), depths.empty() ? 1 : *std::max_element(depths.begin(), depths.end())};
    }
    case Axis::dp:
    case Axis::cp:
      return {facts.gpu_counts()};
    case Axis::ep:
      return {facts.models([](const training::ModelSpec& m) { return std::max(1, m.experts); })};
    case Axis::vpp:
      return {facts.models(layers)};
    case Axis::micro_batch:
      return {facts.batches()};
    default:
      return {};
  }
}

// The frameworks of the space, by index; the default one where none is named.
std::vector<std::int32_t> frameworks_of(const std::vector<ReadDimension>& space,
                                        const simulate::Catalog& catalog) {
  std::vector<std::int32_t> out;
  if (const ReadAxis* const read = find_axis(space, Axis::framework)) {
    for (const sweep::AxisValue& value : read->column.values)
      out.push_back(find_named(catalog.frameworks, value.text));
  } else {
    out.push_back(find_named(catalog.frameworks, "megatron-core"));
  }
  std::erase_if(out, [](std::int32_t id) { return id < 0; });
  return out;
}

// Recipes that are for no framework of the space.
void refuse_recipes(const std::vector<ReadDimension>& space, const simulate::Catalog& catalog,
                    std::vector<Refusal>& refused) {
  const ReadAxis* const read = find_axis(space, Axis::recipe);
  const std::vector<std::int32_t> frameworks = frameworks_of(space, catalog);
  if (read == nullptr || frameworks.empty()) return;
  for (std::size_t i = 0; i < read->column.values.size(); ++i) {
    const std::string& name = read->column.values[i].text;
    const std::int32_t id = find_named(catalog.recipes, name);
    if (id < 0) continue;
    const auto& over = catalog.recipes[at(id)].over;
    if (std::any_of(frameworks.begin(), frameworks.end(),
                    [&](std::int32_t framework) { return !over[at(framework)].name.empty(); }))
      continue;
    std::string served;
    for (const training::FrameworkSpec& one : over)
      if (!one.name.empty()) served += (served.empty() ? "" : ", ") + one.name;
    refused.push_back({read->place, read->places[i], "recipe \"" + name + "\" is for no framework here",
                       "it is for " + served + "; name one of them, or remove the recipe"});
  }
}

}  // namespace

const ReadAxis* find_axis(const std::vector<ReadDimension>& space, Axis axis) {
  for (const ReadDimension& dimension : space) {
    for (const ReadAxis& read : dimension.axes) {
      if (read.column.axis == axis) return &read;
    }
  }
  return nullptr;
}
ReadAxis* find_axis(std::vector<ReadDimension>& space, Axis axis) {
  return const_cast<ReadAxis*>(find_axis(std::as_const(space), axis));
}

void fill_automatic(std::vector<ReadDimension>& space, const simulate::Catalog& catalog, Problems& problems) {
  const Facts facts(space, catalog);
  for (const sweep::AxisInfo& info : sweep::axis_table) {
    ReadAxis* const read = find_axis(space, info.axis);
    if (read == nullptr || !read->automatic) continue;
    const Divided divided = divided_by(info.axis, facts);
    if (divided.numbers.size() > most_divided) {
      problems.error(read->place,
                     name_of(info.axis) + " = \"auto\" would have to divide over a thousand numbers",
                     "list the values");
      continue;
    }
    std::set<std::int64_t> values = divisors(divided.numbers, divided.limit);
    if (info.axis == Axis::cp) {
      const Numbers lengths = facts.lengths();
      std::erase_if(values, [&](std::int64_t cp) {
        return cp > 1 && std::none_of(lengths.begin(), lengths.end(),
                                      [&](std::int64_t length) { return length % (2 * cp) == 0; });
      });
    }
    if (values.empty()) {
      problems.error(read->place, name_of(info.axis) + " = \"auto\" has nothing to divide",
                     "give gpus (or a cluster with a fixed number of nodes) and a model, or list the values");
    }
    for (const std::int64_t value : values) {
      read->column.values.push_back({value, ""});
      read->places.push_back(read->place);
    }
  }
}

std::vector<Refusal> impossible_values(const std::vector<ReadDimension>& space,
                                       const simulate::Catalog& catalog) {
  const Facts facts(space, catalog);
  std::vector<Refusal> refused;
  const auto refuse_above = [&](Axis axis, const Numbers& bounds, const std::string& of_what) {
    const ReadAxis* const read = find_axis(space, axis);
    if (read == nullptr || read->automatic || bounds.empty()) return;
    const std::int64_t most = *std::max_element(bounds.begin(), bounds.end());
    const Place* told = nullptr;  // of a range, the first value is enough
    for (std::size_t i = 0; i < read->column.values.size(); ++i) {
      const std::int64_t value = read->column.values[i].number;
      const Place& place = read->places[i];
      const bool again = told != nullptr && told->line == place.line && told->column == place.column;
      if (value <= most || again) continue;
      told = &place;
      refused.push_back({read->place, place,
                         name_of(axis) + " = " + std::to_string(value) + " exceeds " + of_what + " (" +
                             std::to_string(most) + ")",
                         "no combination of this sweep can use it; remove the value"});
    }
  };
  refuse_above(Axis::tp, facts.models([](const auto& m) { return m.heads; }),
               "the heads of every model here");
  refuse_above(Axis::pp, facts.models([](const auto& m) { return m.layers + 2; }),  // embedding, loss
               "the layers of every model here, with embedding and loss");
  const Numbers capacity = facts.capacities();
  if (std::count(capacity.begin(), capacity.end(), 0) == 0) {
    refuse_above(Axis::gpus, capacity, "the GPUs of every cluster here");
  }
  const ReadAxis* const batch = find_axis(space, Axis::global_batch);
  if (batch != nullptr && !batch->tokens)
    refuse_above(Axis::micro_batch, facts.batches(), "every global_batch here");
  refuse_recipes(space, catalog, refused);
  return refused;
}

}  // namespace echo::config
