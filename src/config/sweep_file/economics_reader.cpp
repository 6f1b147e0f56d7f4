#include "config/sweep_file/economics_reader.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "base/at.hpp"
#include "config/toml/did_you_mean.hpp"
#include "sweep/language/metric.hpp"

namespace echo::config {
namespace {

// A number and the word behind it: {2.1, "USD/kWh"}. Nothing where there is no number of 0 or more.
struct Amount {
  double number = 0.0;
  std::string word;
};

std::optional<Amount> amount_of(const toml::node& node) {
  const std::string text = node.value_or(std::string());
  Amount amount;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (!node.is_string() || failed != std::errc() || !std::isfinite(amount.number) || amount.number < 0.0)
    return std::nullopt;
  amount.word = trimmed(std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
  return amount;
}

// Any word will do: a currency is the user's.
bool is_currency(std::string_view word) {
  return !word.empty() && std::ranges::none_of(word, [](unsigned char c) {
    return c <= ' ' || c == '/' || c == ',' || c == '.' || std::isdigit(c) != 0;
  });
}

std::optional<Amount> price_of(const toml::node& node) {
  auto amount = amount_of(node);
  return amount && is_currency(amount->word) ? amount : std::nullopt;
}

std::optional<Amount> price_per_kwh(const toml::node& node) {
  auto amount = amount_of(node);
  constexpr std::string_view per = "/kWh";
  if (!amount || !amount->word.ends_with(per)) return std::nullopt;
  amount->word.resize(amount->word.size() - per.size());
  return is_currency(amount->word) ? amount : std::nullopt;
}

bool add_price(const std::string& name, const toml::node& node, SettingValue& value, Problems& problems) {
  const auto price = price_of(node);
  if (!price) {
    problems.error(place_of(node), "this is no price of a GPU-hour",
                   "write a number and a currency: \"2.10 USD\"");
    return false;
  }
  value.prices.push_back({name, price->number});
  if (value.text.empty()) value.text = price->word;
  return true;
}

// The entries of gpu_hour; `name` is null where one price is for all.
struct PriceEntry {
  const toml::key* name = nullptr;
  const toml::node* node = nullptr;
};
std::vector<PriceEntry> entries_of(const toml::node& gpu_hour) {
  if (!gpu_hour.is_table()) return {{nullptr, &gpu_hour}};
  std::vector<PriceEntry> entries;
  for (const Entry& entry : in_file_order(*gpu_hour.as_table())) entries.push_back({entry.key, entry.node});
  return entries;
}

class EconomicsCheck {
 public:
  EconomicsCheck(const toml::table& root, const simulate::Catalog& catalog, const sweep::SweepSpec& spec,
                 Problems& problems)
      : root_(root), catalog_(catalog), spec_(spec), problems_(problems) {}

  void run() {
    if (const toml::table* section = root_["economics"].as_table()) {
      check_names(*section);
      check_currencies(*section);
      for (const char* key : {"electricity", "carbon"}) check_pue(*section, key);
    }
    for (const sweep::Objective& objective : spec_.objectives) check_metric("objective", objective.metric);
    std::set<std::string> seen;
    for (const sweep::Limit& limit : spec_.limits)
      if (seen.insert(limit.metric).second) check_metric("limit", limit.metric);
  }

 private:
  void check_names(const toml::table& section) {
    const toml::node* const gpu_hour = section.get("gpu_hour");
    if (gpu_hour == nullptr || !gpu_hour->is_table()) return;
    std::vector<std::string> known;
    for (const machine::GpuSpec& gpu : catalog_.gpus) known.push_back(gpu.name);
    for (const machine::ClusterSpec& cluster : catalog_.clusters) known.push_back(cluster.name);
    for (const PriceEntry& entry : entries_of(*gpu_hour)) {
      const std::string name(entry.name->str());
      if (std::ranges::find(known, name) == known.end())
        problems_.error(place_of(*entry.name), "\"" + name + "\" is neither a GPU nor a cluster",
                        suggest(name, known, "GPUs and clusters"));
    }
  }

  void check_currencies(const toml::table& section) {
    std::string first;
    const auto check = [&](const toml::node& node, const std::optional<Amount>& price) {
      if (!price) return;  // reported by its reader
      if (first.empty()) first = price->word;
      if (price->word != first)
        problems_.error(place_of(node), "this price is in " + price->word + ", an earlier one in " + first,
                        "give all prices in one currency");
    };
    if (const toml::node* const gpu_hour = section.get("gpu_hour"))
      for (const PriceEntry& entry : entries_of(*gpu_hour)) check(*entry.node, price_of(*entry.node));
    if (const toml::node* const electricity = section.get("electricity"))
      check(*electricity, price_per_kwh(*electricity));
  }

  void check_pue(const toml::table& section, const char* key) {
    const toml::node* const node = section.get(key);
    if (node == nullptr || section.contains("pue")) return;
    problems_.error(place_of(*node), std::string(key) + " needs the PUE of the site",
                    "add pue = 1.25, or pue = 1.0 to leave cooling out");
  }

  [[nodiscard]] Place place_of_metric(const char* list, const std::string& metric) const {
    if (const toml::array* entries = root_[list].as_array()) {
      for (const toml::node& entry : *entries) {
        const toml::node* const node = entry.is_table() ? entry.as_table()->get("metric") : nullptr;
        if (node != nullptr && node->value_or(std::string()) == metric) return place_of(*node);
      }
    }
    return place_of(root_);
  }

  void check_metric(const char* list, const std::string& name) {
    const sweep::Metric* const metric = sweep::find_metric(name);
    if (metric == nullptr) return;
    const Place place = place_of_metric(list, name);
    if ((metric->needs & sweep::needs_carbon) != 0 && spec_.terms.economics.carbon_kg_per_kwh < 0.0)
      problems_.error(place, name + " needs the carbon of the site's electricity",
                      "add [economics] carbon = \"0.4 kg/kWh\" and its pue");
    if ((metric->needs & sweep::needs_price) == 0) return;
    for (const std::string& gpu : unpriced())
      problems_.error(place, name + " needs the price of a GPU-hour of " + gpu,
                      "add [economics] gpu_hour = { " + gpu + " = \"2.10 USD\" }, with your own price");
  }

  // GPUs of the space without a price, each once.
  [[nodiscard]] std::vector<std::string> unpriced() const {
    std::vector<std::string> gpus;
    const auto look = [&](const std::vector<sweep::Dimension>& dimensions) {
      const auto own = values_of(dimensions, sweep::Axis::gpu);
      for (const std::string& name : values_of(dimensions, sweep::Axis::cluster)) {
        const auto cluster = std::ranges::find(catalog_.clusters, name, &machine::ClusterSpec::name);
        if (cluster == catalog_.clusters.end()) continue;
        const std::vector<std::string> stock{catalog_.gpus.at(at(cluster->gpu)).name};
        for (const std::string& gpu : own.empty() ? stock : own)
          if (campaign::find_price(spec_.terms.economics, name, gpu) == nullptr &&
              std::ranges::find(gpus, gpu) == gpus.end())
            gpus.push_back(gpu);
      }
    };
    look(spec_.dimensions);
    for (const sweep::SubSpace& group : spec_.groups) look(group.dimensions);
    return gpus;
  }

  static std::vector<std::string> values_of(const std::vector<sweep::Dimension>& dimensions,
                                            sweep::Axis axis) {
    std::vector<std::string> values;
    for (const sweep::Dimension& dimension : dimensions)
      for (const sweep::AxisColumn& column : dimension.columns)
        if (column.axis == axis)
          for (const sweep::AxisValue& value : column.values) values.push_back(value.text);
    return values;
  }

  const toml::table& root_;
  const simulate::Catalog& catalog_;
  const sweep::SweepSpec& spec_;
  Problems& problems_;
};

}  // namespace

bool read_gpu_hours(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  bool fine = true;
  for (const PriceEntry& entry : entries_of(*node)) {
    const std::string name(entry.name == nullptr ? "" : entry.name->str());
    fine = add_price(name, *entry.node, value, section.problems()) && fine;
  }
  return fine;
}

bool read_electricity(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  const auto price = price_per_kwh(*node);
  if (!price) {
    section.problems().error(place_of(*node), "this is no price of electricity", "write \"0.12 USD/kWh\"");
    return false;
  }
  value.number = price->number;
  value.text = price->word;
  return true;
}

bool read_carbon(TableReader& section, const Setting& setting, SettingValue& value) {
  const toml::node* node = section.node(setting.key, Presence::optional);
  if (node == nullptr) return false;
  const auto amount = amount_of(*node);
  if (!amount || (amount->word != "kg/kWh" && amount->word != "g/kWh")) {
    section.problems().error(place_of(*node), "this is no carbon per kWh",
                             "write \"0.4 kg/kWh\" or \"400 g/kWh\"");
    return false;
  }
  value.number = amount->word == "g/kWh" ? amount->number / 1000.0 : amount->number;
  return true;
}

void check_economics(const toml::table& root, const simulate::Catalog& catalog, const sweep::SweepSpec& spec,
                     Problems& problems) {
  EconomicsCheck(root, catalog, spec, problems).run();
}

}  // namespace echo::config
