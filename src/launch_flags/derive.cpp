#include "launch_flags/derive.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "base/named_table.hpp"

namespace echo::launch_flags {

namespace {

// Facts as whole numbers.
class Numbers {
 public:
  Numbers(Understood& understood, std::string file, Problems& problems)
      : understood_(understood), file_(std::move(file)), problems_(problems) {}

  // Nothing where there is no such fact, or it is no whole number from 1: then it is a problem, once.
  std::optional<std::int64_t> of(const std::string& fact) {
    const auto found = understood_.facts.find(fact);
    if (found == understood_.facts.end()) return std::nullopt;
    const std::string& text = found->second;
    std::int64_t value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr std::int64_t most = 1'000'000;  // so that products of three fit
    if (failed == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most)
      return value;
    problems_.error(place_of(fact), fmt::format("\"{}\" is no whole number from 1", text),
                    "give a number here, or the axis " + fact + " by --set");
    understood_.facts.erase(fact);
    return std::nullopt;
  }
  std::int64_t or_one(const std::string& fact) { return of(fact).value_or(1); }
  // Sets a fact that follows from `from`; one that is there already stays.
  void set(const std::string& fact, std::int64_t value, const std::string& from) {
    if (understood_.facts.contains(fact)) return;
    understood_.facts[fact] = std::to_string(value);
    const auto by = understood_.said_by.find(from);
    if (by != understood_.said_by.end()) understood_.said_by[fact] = by->second;
  }
  void wrong(const std::string& fact, const std::string& what) {
    problems_.error(place_of(fact), what, "correct it, or give the axis by --set");
  }
  // a / b, or a problem that says what does not divide.
  std::optional<std::int64_t> quotient(std::int64_t a, std::int64_t b, const std::string& fact,
                                       const char* what) {
    if (b > 0 && a % b == 0 && a >= b) return a / b;
    problems_.error(place_of(fact), fmt::format("{} ({} of {})", what, b, a), "correct one of the two");
    return std::nullopt;
  }
  [[nodiscard]] Place place_of(const std::string& fact) const {
    const auto by = understood_.said_by.find(fact);
    return by == understood_.said_by.end() ? Place{file_, 0, 0, 1} : by->second.place;
  }
  bool has(const std::string& fact) const { return understood_.facts.contains(fact); }
  Facts& facts() { return understood_.facts; }

 private:
  Understood& understood_;
  std::string file_;
  Problems& problems_;
};

std::int64_t layout(Numbers& n) { return n.or_one("tp") * n.or_one("pp") * n.or_one("cp"); }

void derive_replicas(Numbers& n) {
  if (const auto nodes = n.of("nodes"), in_node = n.of("gpus_per_node"); nodes && in_node)
    n.set("gpus", *nodes * *in_node, "gpus_per_node");
  if (const auto shard = n.of("dp_shard"), copies = n.of("dp_replicate"); shard && !n.has("dp"))
    n.set("dp", *shard * copies.value_or(1), "dp_shard");
  if (n.has("gpus") && n.has("dp")) n.facts().erase("gpus");  // the file's own replicas count
  if (const auto gpus = n.of("gpus"))
    if (const auto dp = n.quotient(*gpus, layout(n), "gpus", "tp * pp * cp does not divide the GPUs"))
      n.facts()["replicas"] = std::to_string(*dp);
  if (const auto dp = n.of("dp")) n.facts()["replicas"] = std::to_string(*dp);
}

void derive_shards(Numbers& n) {
  const auto replicas = n.of("replicas");
  if (n.of("dp_shard") == 1 && n.of("dp_replicate") > 1) {
    n.set("zero", 0, "dp_shard");
    return;
  }
  const std::string from = n.has("optimizer_instances") ? "optimizer_instances" : "dp_replicate";
  const auto copies = n.of(from);
  if (!replicas || !copies || *copies == 1 || n.has("zero_group")) return;
  if (const auto group =
          n.quotient(*replicas * n.or_one("cp"), *copies, from, "the copies do not divide the replicas"))
    n.set("zero_group", *group, from);
}

// torchtitan's batch of a replica is cut into microbatches by pipelines alone.
void derive_local_batch(Numbers& n) {
  const auto local = n.of("local_batch");
  if (!local) return;
  if (n.or_one("pp") == 1) return n.set("micro_batch", *local, "local_batch");
  n.set("replica_batch", *local, "local_batch");
  n.set("micro_batch", n.or_one("pipeline_micro_batch"), "pipeline_micro_batch");
}

void derive_batch(Numbers& n) {
  const std::int64_t micro = n.or_one("micro_batch");
  if (const auto steps = n.of("accumulation"), batch = n.of("global_batch");
      steps && batch && !n.has("replicas")) {
    if (const auto dp =
            n.quotient(*batch, *steps * micro, "global_batch", "microbatches do not divide the batch"))
      n.set("dp", *dp, "global_batch");
    return;
  }
  const auto replicas = n.of("replicas");
  if (!replicas || n.has("global_batch")) return;
  if (const auto steps = n.of("accumulation")) {
    n.set("global_batch", *steps * micro * *replicas, "accumulation");
  } else if (const auto batch = n.of("replica_batch")) {
    n.set("global_batch", *batch * *replicas, "replica_batch");
  } else {
    n.set("global_batch", micro * *replicas, "micro_batch");
  }
}

std::string split_text(const std::vector<std::int64_t>& layers) {
  std::string text;
  for (const std::int64_t count : layers) text += (text.empty() ? "" : "-") + std::to_string(count);
  return text;
}

// "Et*3|t*4|tttL", or with lists in place of products: the layers of each chunk. Nothing where it is of
// another form.
std::optional<std::vector<std::int64_t>> layout_layers(const std::string& text) {
  constexpr std::size_t most = 65536;
  std::vector<std::int64_t> layers{0};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '|') layers.push_back(0);
    if (c == '|' || c == 'E' || c == 'L' || c == 'm' || c == ',') continue;
    if (c != 't' || layers.size() > most) return std::nullopt;
    std::int64_t count = 1;
    if (i + 1 < text.size() && text[i + 1] == '*') {
      const auto [end, failed] = std::from_chars(text.data() + i + 2, text.data() + text.size(), count);
      if (failed != std::errc() || count < 0 || count > static_cast<std::int64_t>(most)) return std::nullopt;
      i = static_cast<std::size_t>(end - text.data()) - 1;
    }
    layers.back() += count;
  }
  return layers;
}

// The first and the last stage have their own numbers of layers, the others share the rest.
void split_ends(Numbers& n, const training::ModelSpec& model) {
  const std::int64_t pp = n.or_one("pp"), vpp = n.or_one("vpp");
  const auto first = n.of("first_layers"), last = n.of("last_layers");
  if (pp < 2 || n.has("layer_split") || (!first && !last)) return;
  const std::int64_t ends = (first ? 1 : 0) + (last ? 1 : 0);
  const std::int64_t rest = model.layers - first.value_or(0) - last.value_or(0);
  const std::string from = first ? "first_layers" : "last_layers";
  std::int64_t middle = 0;
  if (pp > ends) {
    const auto each = n.quotient(rest, pp - ends, from, "the layers between do not divide over their stages");
    if (!each) return;
    middle = *each;
  }
  std::vector<std::int64_t> layers;
  for (std::int64_t chunk = 0; chunk < pp * vpp && chunk < 65536; ++chunk) {
    const std::int64_t stage = chunk % pp;
    const std::int64_t own = stage == 0 && first ? *first : stage == pp - 1 && last ? *last : middle;
    layers.push_back(own / vpp);
  }
  n.facts()["layer_split"] = split_text(layers);
}

void derive_chunks(Numbers& n, const training::ModelSpec& model) {
  const std::int64_t pp = n.or_one("pp");
  if (const auto found = n.facts().find("pipeline_layout"); found != n.facts().end()) {
    if (const auto layers = layout_layers(found->second)) {
      n.facts()["layer_split"] = split_text(*layers);
      if (const auto vpp =
              n.quotient(std::ssize(*layers), pp, "pipeline_layout", "the stages do not divide the chunks"))
        n.set("vpp", *vpp, "pipeline_layout");
    } else {
      n.wrong("pipeline_layout", "\"" + found->second + "\" is no layout such as Et*5|t*5L");
    }
  }
  const auto is_layer = [&](const char* fact) { return n.has(fact) && n.facts()[fact] == "true" ? 1 : 0; };
  if (const auto of_chunk = n.of("layers_per_chunk"); of_chunk && !n.has("vpp") && model.layers > 0) {
    const std::int64_t layers = model.layers + is_layer("embedding_is_layer") + is_layer("loss_is_layer");
    const std::int64_t chunks = (layers + *of_chunk - 1) / *of_chunk;
    if (const auto vpp =
            n.quotient(chunks, pp, "layers_per_chunk", "chunks of so many layers do not fill the stages"))
      n.set("vpp", *vpp, "layers_per_chunk");
  }
  const bool interleaves = n.has("schedule") && n.facts()["schedule"] == "interleaved";
  if (interleaves && !n.has("vpp") && pp > 1) n.set("vpp", 2, "schedule");  // torchtitan's own number
  split_ends(n, model);
}

void derive_hierarchy(Numbers& n) {
  const auto found = n.facts().find("cp_hierarchy");
  if (found == n.facts().end()) return;
  const std::string inner = found->second.substr(0, found->second.find('+'));
  n.facts()["cp_inner"] = inner;
}

}  // namespace

training::ModelSpec model_named(const Facts& facts, const simulate::Catalog& catalog) {
  const auto found = facts.find("model");
  const std::int32_t index = found == facts.end() ? -1 : find_named(catalog.models, found->second);
  return index < 0 ? training::ModelSpec() : catalog.model(training::ModelId(index));
}

void derive_axes(Understood& understood, const training::ModelSpec& model, const std::string& file,
                 Problems& problems) {
  Numbers n(understood, file, problems);
  for (const char* axis : {"tp", "pp", "cp", "ep", "etp", "vpp", "micro_batch", "seq_len"}) (void)n.of(axis);
  derive_replicas(n);
  derive_shards(n);
  derive_local_batch(n);
  derive_batch(n);
  derive_chunks(n, model);
  derive_hierarchy(n);
  if (n.has("reshards_by_pipeline") && !n.has("fsdp_reshard"))
    n.facts()["fsdp_reshard"] = n.or_one("pp") == 1 ? "true" : "false";
  if (n.or_one("pp") == 1)
    for (const char* axis : {"vpp", "layer_split"}) n.facts().erase(axis);
}

}  // namespace echo::launch_flags
