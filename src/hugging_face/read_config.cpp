#include "hugging_face/read_config.hpp"

#include <algorithm>
#include <set>

#include "base/printable.hpp"
#include "config/toml/did_you_mean.hpp"
#include "hugging_face/architecture.hpp"
#include "hugging_face/config_json.hpp"
#include "hugging_face/field_tables.hpp"

namespace echo::hugging_face {

namespace {

using Json = nlohmann::json;
using training::ModelSpec;

constexpr double most_parameters = 1e17;  // so that sums of them fit into 64 bits
constexpr double most_width = 1 << 27;    // of all heads together, in 32 bits

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i > 0 ? ", " : "") + printable(names[i]).substr(0, 60);
  return names.size() > most ? text + ", and " + std::to_string(names.size() - most) + " more" : text;
}

// Fields that some architecture reads.
std::set<std::string, std::less<>> fields_of_all() {
  const ConfigJson nothing{Json::object(), {}};
  std::set<std::string, std::less<>> all;
  for (const Architecture* one : architecture_table()) {
    Problems ignored;  // that everything is missing
    Fields fields(nothing.object, "", nothing, "", ignored);
    ModelSpec model;
    one->read(fields, model);
    all.insert(fields.asked().begin(), fields.asked().end());
  }
  return all;
}

bool is_off(const Json& value) {
  return value.is_null() || value == Json(false) || value == Json(0) || (value.is_array() && value.empty());
}

// Fields that nobody asked for: refused, noted, or listed as unknown.
void judge_the_rest(const Json& object, Fields& fields) {
  for (const FieldNote& one : lacking_fields()) {
    const auto found = object.find(one.field);
    if (found == object.end() || is_off(*found) || fields.asked().contains(one.field)) continue;
    fields.refuse(one.field, "the simulator lacks " + std::string(one.note),
                  "models with it cannot be simulated yet");
  }
  for (const FieldNote& one : noted_fields()) {
    const auto found = object.find(one.field);
    if (found != object.end() && !is_off(*found))
      fields.note(std::string(one.field) + ": " + std::string(one.note));
  }
}

bool is_described(const std::string& field) {
  const auto is_it = [&](const FieldNote& one) { return one.field == field; };
  return is_neutral(field) || std::ranges::any_of(noted_fields(), is_it) ||
         std::ranges::any_of(lacking_fields(), is_it);
}

void refuse_unknown(const Json& object, const std::string& type, Fields& fields) {
  std::vector<std::string> types, strange;
  for (const Architecture* one : architecture_table())
    types.insert(types.end(), one->model_types.begin(), one->model_types.end());
  const auto known = fields_of_all();
  for (const auto& [field, value] : object.items())
    if (!known.contains(field) && !is_described(field) && !is_off(value)) strange.push_back(field);
  std::string what = "the architecture \"" + printable(type).substr(0, 60) + "\" is not known";
  if (!strange.empty()) what += "; it has fields that no known one has: " + listed(strange, 12);
  fields.refuse("model_type", what, config::suggest(type, types, "known"));
  judge_the_rest(object, fields);
}

double about_parameters(const ModelSpec& m) {
  const double hidden = m.hidden, heads = m.heads;
  const double attention = 2.0 * heads * (m.query_head_dim() + m.value_head_dim()) + m.latent.query_rank +
                           m.latent.key_value_rank + 2.0 * heads * m.head_dim;
  const double up =
      heads * (m.latent.query_rank + m.latent.key_value_rank) * (m.query_head_dim() + m.value_head_dim());
  const double nets =
      3.0 * m.ffn_hidden + 3.0 * m.shared_expert_hidden + 3.0 * m.experts * m.expert_ffn_hidden;
  const double states = 4.0 * m.mamba.heads * m.mamba.head_dim + 4.0 * m.mamba.groups * m.mamba.state;
  return m.layers * (hidden * (attention + nets + states + m.experts) + up) +
         hidden * (2.0 * m.vocab + m.max_positions);
}

// What transformers would refuse too, or what would not fit into numbers.
void check(const ModelSpec& m, const std::string& file, Problems& problems) {
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    problems.error({file}, what, remedy);
  };
  if (about_parameters(m) > most_parameters)
    wrong("the model would have more than 10^17 parameters", "look for a number with too many digits");
  const double heads = m.heads, states = m.mamba.heads;
  const double widest = std::max({heads * m.head_dim, heads * (m.query_head_dim() + m.value_head_dim()),
                                  states * m.mamba.head_dim, 1.0 * m.mamba.groups * m.mamba.state});
  if (widest > most_width)
    wrong("all heads together are wider than 2^27 channels", "look for a number with too many digits");
  if (m.heads % m.kv_heads != 0)
    wrong("key-value heads do not divide the heads", "each must serve an integer number of query heads");
  if (m.experts_per_token > m.experts)
    wrong("a token would pass more experts than there are", "lower experts per token");
  if (m.routing_groups > 0 && m.experts % m.routing_groups != 0)
    wrong("n_group does not divide the experts", "groups of experts are equal");
  if (m.mamba.groups > 0 && m.mamba.heads % m.mamba.groups != 0)
    wrong("groups do not divide the heads of Mamba layers", "each group serves an integer number of heads");
}

// The part that describes the decoder, and its path.
std::pair<Json, std::string> text_part(const Json& whole) {
  const auto inner = whole.find("text_config");
  if (inner == whole.end() || !inner->is_object()) return {whole, ""};
  Json text = *inner;
  for (const char* shared : {"model_type", "tie_word_embeddings", "vision_config", "audio_config"})
    if (!text.contains(shared) && whole.contains(shared)) text[shared] = whole[shared];
  return {std::move(text), "text_config."};
}

}  // namespace

const Architecture* find_architecture(std::string_view model_type) {
  for (const Architecture* one : architecture_table())
    if (std::ranges::find(one->model_types, model_type) != one->model_types.end()) return one;
  return nullptr;
}

std::optional<ModelConfig> read_model_config(const std::string& text, const std::string& file,
                                             Problems& problems) {
  const int before = problems.errors();
  const std::optional<ConfigJson> json = parse_config_json(text, file, problems);
  if (!json) return std::nullopt;
  const auto [object, inside] = text_part(json->object);
  Fields fields(object, inside, *json, file, problems);
  ModelConfig read;
  if (!fields.has("model_type")) {
    fields.refuse("model_type", "model_type is missing", "add it: the architecture, such as \"llama\"");
    return std::nullopt;
  }
  read.model_type = fields.word("model_type", "");
  const Architecture* const architecture = find_architecture(read.model_type);
  if (problems.errors() > before) return std::nullopt;
  if (architecture == nullptr) {
    refuse_unknown(object, read.model_type, fields);
    return std::nullopt;
  }
  architecture->read(fields, read.model);
  judge_the_rest(object, fields);
  std::vector<std::string> unknown;
  for (const std::string& field : fields.unasked())
    if (!is_described(field)) unknown.push_back(field);
  if (!unknown.empty()) fields.note("fields that are not known and were not read: " + listed(unknown, 12));
  if (problems.errors() == before) check(read.model, file, problems);
  if (problems.errors() > before) return std::nullopt;
  read.notes = fields.notes();
  return read;
}

}  // namespace echo::hugging_face
