// Source: src/converter/text_converter.py of mlcommons/chakra; HYBRID_TRANSFORMER, _FWD_IN_BCKWD and
// HYBRID_CUSTOMIZED, which the converter does not have, Workload::initialize_workload of ASTRA-sim 1.0.
// Columns: name, reserved, then compute time, communication type and size of the forward pass, of the
// gradient by the input and of the gradient by the weights, the time of the update, and of HYBRID_CUSTOMIZED
// the policy of the layer. Times are microseconds there.
#include "trace_io/astra/astra_table.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

constexpr std::array<std::pair<std::string_view, AstraSplit>, 10> splits{
    {{"MICRO", AstraSplit::micro},
     {"DATA", AstraSplit::data},
     {"MODEL", AstraSplit::model},
     {"HYBRID_DATA_MODEL", AstraSplit::hybrid_data_model},
     {"HYBRID_MODEL_DATA", AstraSplit::hybrid_model_data},
     {"HYBRID_DLRM", AstraSplit::hybrid_dlrm},
     {"HYBRID_DLRM_ENHANCED", AstraSplit::hybrid_dlrm},
     {"HYBRID_TRANSFORMER", AstraSplit::transformer},
     {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", AstraSplit::transformer_again},
     {"HYBRID_CUSTOMIZED", AstraSplit::customized}}};
constexpr std::array<std::string_view, 5> types{"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER",
                                                "ALLTOALL"};
constexpr std::size_t columns = 12, most_problems = 50;
constexpr std::int64_t most_micros = 9'000'000'000'000, most_bytes = std::int64_t{1} << 42;
constexpr std::int32_t most_ranks = 1 << 20;

struct Word {
  std::string_view text;
  std::int32_t column;
};

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r\f\v", i);
    if (begin == std::string_view::npos) break;
    i = std::min(line.find_first_of(" \t\r\f\v", begin), line.size());
    out.push_back({line.substr(begin, i - begin), static_cast<std::int32_t>(begin) + 1});
  }
  return out;
}

std::optional<std::int64_t> number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    return std::nullopt;
  return value;
}

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {}
  AstraTable read();

 private:
  bool next_line(std::vector<Word>& words);
  void complain(const Word& at, const std::string& what, const char* remedy);
  void read_first_line(const std::vector<Word>&, AstraTable&);
  void read_transformer(const std::vector<Word>&, AstraTable&);
  std::size_t read_layers_behind(const std::vector<Word>&, std::size_t key, std::vector<std::int32_t>& out);
  void check_layers(const AstraTable&);
  void read_layer(const std::vector<Word>&, AstraTable&);
  std::int64_t whole(const Word&, const char* what, std::int64_t most);

  std::string_view rest_, line_;
  const std::string& file_;
  std::int32_t line_number_ = 0;
  std::vector<Problem> problems_;
};

void TableReader::complain(const Word& at, const std::string& what, const char* remedy) {
  if (problems_.size() < most_problems)
    problems_.push_back({Place{file_, line_number_, at.column,
                               static_cast<std::int32_t>(std::max<std::size_t>(at.text.size(), 1))},
                         what, remedy});
}

// Empty lines are skipped: files end with them.
bool TableReader::next_line(std::vector<Word>& words) {
  while (!rest_.empty()) {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_number_;
    words = words_of(line_);
    if (!words.empty()) return true;
  }
  ++line_number_;
  return false;
}

std::int64_t TableReader::whole(const Word& at, const char* what, std::int64_t most) {
  const auto value = number(at.text, 0, most);
  if (!value)
    complain(at, std::string(what) + " is not a whole number from 0 to " + std::to_string(most), "write one");
  return value.value_or(0);
}

void TableReader::read_first_line(const std::vector<Word>& words, AstraTable& table) {
  table.first_line = std::string(line_.substr(0, line_.find_last_not_of(" \t\r\f\v") + 1));
  const auto found = std::find_if(splits.begin(), splits.end(),
                                  [&](const auto& one) { return one.first == words.front().text; });
  if (found == splits.end()) {
    complain(
        words.front(), "\"" + std::string(words.front().text) + "\" is not a parallelism of this format",
        "write MICRO, DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA, HYBRID_DLRM, HYBRID_TRANSFORMER, "
        "HYBRID_TRANSFORMER_FWD_IN_BCKWD or HYBRID_CUSTOMIZED");
    return;
  }
  table.split = found->second;
  if (table.split == AstraSplit::hybrid_dlrm) {
    if (words.size() < 2)
      complain(words.front(), "HYBRID_DLRM needs the number of its last bottom layer", "write HYBRID_DLRM 3");
    else
      table.last_bottom_layer =
          static_cast<std::int32_t>(whole(words[1], "the last bottom layer", most_ranks));
  }
  if (has_model_groups(table.split)) read_transformer(words, table);
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i].text == "npus:" || words[i].text == "all_gpus:")
      table.ranks = static_cast<std::int32_t>(whole(words[i + 1], "the number of npus", most_ranks));
}

// "checkpoints: 2 0 4": their number, then the layers. Returns the last word taken.
std::size_t TableReader::read_layers_behind(const std::vector<Word>& words, std::size_t key,
                                            std::vector<std::int32_t>& out) {
  if (key + 1 >= words.size()) {
    complain(words[key], "the number of layers is missing behind " + std::string(words[key].text),
             "write it, and the layers behind it");
    return key;
  }
  const std::int64_t count = whole(words[key + 1], "the number of layers", most_ranks);
  const std::size_t first = key + 2, left = words.size() - std::min(first, words.size());
  if (static_cast<std::uint64_t>(count) > left) {
    complain(words[key + 1],
             std::to_string(count) + " layers are announced, but " + std::to_string(left) + " words follow",
             "correct the number, or add the layers");
    return words.size();
  }
  for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i)
    out.push_back(static_cast<std::int32_t>(whole(words[i], "a layer", most_ranks)));
  return key + 1 + static_cast<std::size_t>(count);
}

void TableReader::read_transformer(const std::vector<Word>& words, AstraTable& table) {
  bool has_group = false;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view key = words[i].text;
    if (key == "checkpoints:") {
      i = read_layers_behind(words, i, table.checkpoints);
    } else if (key == "checkpoint_initiates:") {
      i = read_layers_behind(words, i, table.again_before);
    } else if (key == "model_parallel_NPU_group:" && i + 1 < words.size()) {
      table.model_ranks = static_cast<std::int32_t>(
          std::max<std::int64_t>(1, whole(words[++i], "the model-parallel group", most_ranks)));
      has_group = true;
    } else if ((key == "pp:" || key == "ep:") && i + 1 < words.size() && words[i + 1].text != "1") {
      complain(words[i + 1], "stages and experts are not part of ASTRA-sim's text workloads", "write 1");
    }
  }
  if (!has_group)
    complain(words.front(), std::string(words.front().text) + " needs the size of its model-parallel group",
             "write HYBRID_TRANSFORMER model_parallel_NPU_group: 4");
}

// Layers that are done again need a checkpoint at or below them.
void TableReader::check_layers(const AstraTable& table) {
  const auto count = static_cast<std::int32_t>(table.layers.size());
  for (const std::int32_t layer : table.again_before) {
    const bool has = std::any_of(table.checkpoints.begin(), table.checkpoints.end(),
                                 [layer](std::int32_t at) { return at <= layer; });
    if (layer < count && has) continue;
    line_number_ = 1;
    complain({table.first_line, 1},
             "layer " + std::to_string(layer) + " has " +
                 (layer < count ? "no checkpoint at or below it" : "no line; the first is layer 0"),
             "correct checkpoints: and checkpoint_initiates:");
  }
}

void TableReader::read_layer(const std::vector<Word>& words, AstraTable& table) {
  if (words.size() < columns) {
    complain(words.back(), "a layer has " + std::to_string(words.size()) + " columns, not 12",
             "write the name, -1, three times (time, type, bytes), and the update time");
    return;
  }
  AstraLayer layer;
  layer.name = words[0].text;
  layer.reserved = words[1].text;
  for (std::size_t pass = 0; pass < layer.parts.size(); ++pass) {
    AstraPart& part = layer.parts[pass];
    const Word& type = words[3 + 3 * pass];
    part.micros = whole(words[2 + 3 * pass], "a compute time", most_micros);
    part.type = type.text;
    part.bytes = whole(words[4 + 3 * pass], "a size", most_bytes);
    if (std::find(types.begin(), types.end(), type.text) == types.end())
      complain(type, "\"" + part.type + "\" is not a collective of this format",
               "write NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER or ALLTOALL");
  }
  layer.update_micros = words[11].text;
  if (table.split == AstraSplit::customized) {
    const auto* const found =
        words.size() > columns
            ? std::find_if(splits.begin(), splits.end(),
                           [&](const auto& one) { return one.first == words[columns].text; })
            : splits.end();
    if (found == splits.end() || found->second == AstraSplit::micro ||
        found->second == AstraSplit::hybrid_dlrm || found->second >= AstraSplit::transformer)
      complain(words.size() > columns ? words[columns] : words.back(),
               "a layer of HYBRID_CUSTOMIZED names no policy behind its update time",
               "write DATA, MODEL, HYBRID_DATA_MODEL or HYBRID_MODEL_DATA");
    else
      layer.own = found->second;
  }
  table.layers.push_back(std::move(layer));
}

AstraTable TableReader::read() {
  AstraTable table;
  std::vector<Word> words;
  const Word nothing{"", 1};
  if (next_line(words))
    read_first_line(words, table);
  else
    complain(nothing, "the file is empty",
             "write the parallelism (DATA), the number of layers, and the layers");
  std::optional<std::int64_t> count;
  if (problems_.empty() && !next_line(words))
    complain(nothing, "the number of layers is missing", "write it");
  else if (problems_.empty() && !(count = number(words.front().text, 0, most_bytes)))
    complain(words.front(), "the number of layers is not a whole number", "write it on the second line");
  while (count && next_line(words)) read_layer(words, table);
  if (problems_.empty() && *count != static_cast<std::int64_t>(table.layers.size()))
    complain(nothing,
             std::to_string(*count) + " layers are announced, but " + std::to_string(table.layers.size()) +
                 " are present",
             "correct the second line, or copy the complete file");
  if (problems_.empty()) check_layers(table);
  if (!problems_.empty()) throw UserError(std::move(problems_));
  return table;
}

}  // namespace

AstraTable read_astra_table(const std::string& text, const std::string& file) {
  return TableReader(text, file).read();
}

static std::string policy_of(AstraSplit split) {
  const auto* const found =
      std::find_if(splits.begin(), splits.end(), [split](const auto& one) { return one.second == split; });
  return std::string(found->first);
}

std::string text_of(const AstraTable& table) {
  std::string out = table.first_line + "\n" + std::to_string(table.layers.size()) + "\n";
  for (const AstraLayer& layer : table.layers) {
    out += layer.name + "\t" + layer.reserved;
    for (const AstraPart& part : layer.parts)
      out += "\t" + std::to_string(part.micros) + "\t" + part.type + "\t" + std::to_string(part.bytes);
    out += "\t" + layer.update_micros;
    if (table.split == AstraSplit::customized) out += "\t" + policy_of(layer.own);
    out += "\n";
  }
  return out;
}

bool begins_like_astra_text(std::string_view head) {
  const std::size_t end = head.find('\n');
  if (end == std::string_view::npos) return false;
  const std::vector<Word> first = words_of(head.substr(0, end));
  const std::vector<Word> second = words_of(head.substr(end + 1, head.find('\n', end + 1) - end - 1));
  return !first.empty() && second.size() == 1 && number(second.front().text, 0, most_bytes).has_value() &&
         std::any_of(splits.begin(), splits.end(),
                     [&](const auto& one) { return one.first == first.front().text; });
}

}  // namespace echo::trace_io
