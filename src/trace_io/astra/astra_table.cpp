// Source: src/converter/text_converter.py of mlcommons/chakra. Columns: name, reserved, then compute time,
// communication type and size of the forward pass, of the gradient by the input and of the gradient by the
// weights, and the time of the update. Times are microseconds there.
#include "trace_io/astra/astra_table.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace echo::trace_io {

namespace {

constexpr std::array<std::pair<std::string_view, AstraSplit>, 7> splits{
    {{"MICRO", AstraSplit::micro},
     {"DATA", AstraSplit::data},
     {"MODEL", AstraSplit::model},
     {"HYBRID_DATA_MODEL", AstraSplit::hybrid_data_model},
     {"HYBRID_MODEL_DATA", AstraSplit::hybrid_model_data},
     {"HYBRID_DLRM", AstraSplit::hybrid_dlrm},
     {"HYBRID_DLRM_ENHANCED", AstraSplit::hybrid_dlrm}}};
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
    complain(words.front(), "\"" + std::string(words.front().text) + "\" is not a parallelism of this format",
             "write MICRO, DATA, MODEL, HYBRID_DATA_MODEL, HYBRID_MODEL_DATA or HYBRID_DLRM");
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
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i].text == "npus:")
      table.ranks = static_cast<std::int32_t>(whole(words[i + 1], "the number of npus", most_ranks));
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
  if (!problems_.empty()) throw UserError(std::move(problems_));
  return table;
}

}  // namespace

AstraTable read_astra_table(const std::string& text, const std::string& file) {
  return TableReader(text, file).read();
}

std::string text_of(const AstraTable& table) {
  std::string out = table.first_line + "\n" + std::to_string(table.layers.size()) + "\n";
  for (const AstraLayer& layer : table.layers) {
    out += layer.name + "\t" + layer.reserved;
    for (const AstraPart& part : layer.parts)
      out += "\t" + std::to_string(part.micros) + "\t" + part.type + "\t" + std::to_string(part.bytes);
    out += "\t" + layer.update_micros + "\n";
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
