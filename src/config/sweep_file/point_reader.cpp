#include "config/sweep_file/point_reader.hpp"

#include <toml++/toml.h>

#include <cctype>

#include "config/sweep_file/axis_values.hpp"
#include "config/toml/toml_reader.hpp"

namespace echo::config {

namespace {

bool is_name(std::string_view text) {
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != ' ') return false;
  return !text.empty();
}

// "tp=8,pp=4" -> "tp=8", "pp=4"; a comma inside a value is not followed by NAME=.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = text.find(',', begin), end = std::min(comma, text.size());
    const std::string part = text.substr(begin, end - begin);
    const bool starts_one =
        is_name(std::string_view(part).substr(0, part.find('='))) && part.find('=') != std::string::npos;
    if (starts_one || parts.empty())
      parts.push_back(part);
    else
      parts.back() += "," + part;
    begin = end + 1;
  }
  return parts;
}

class ChoiceReader {
 public:
  ChoiceReader(SweepInputs& inputs, Problems& problems)
      : problems_(problems), context_{inputs.aliases, inputs.catalog, problems} {}

  void read(const std::string& choice) {
    const std::string label = "--set " + choice;
    const std::size_t equals = choice.find('=');
    if (equals == std::string::npos)
      return problems_.error({label, 0, 0, 1}, "\"" + choice + "\" is not of the form AXIS=VALUE",
                             "write --set tp=8,pp=4");
    Problems as_toml, as_string;
    auto table = parse_toml(choice, label, as_toml);
    if (!table)  // a bare word
      table =
          parse_toml(choice.substr(0, equals) + "=\"" + choice.substr(equals + 1) + "\"", label, as_string);
    if (!table)
      return problems_.error({label, 0, 0, 1}, "\"" + choice + "\" cannot be read", "write --set tp=8,pp=4");
    for (const auto& [key, node] : *table) axis(std::string(key.str()), node, label);
  }

  std::vector<sweep::AxisColumn> found;

 private:
  void axis(const std::string& name, const toml::node& node, const std::string& label) {
    const auto axis = training::find_axis(name);
    if (!axis) {
      const Problem problem = unknown_axis(name, {label, 0, 0, 1});
      return problems_.error(problem.place, problem.what, problem.remedy);
    }
    const int before = problems_.errors();
    ReadAxis read = read_axis(sweep::info_of(*axis), node, Crossing::crossed, context_);
    if (problems_.errors() != before) return;
    if (read.column.values.size() != 1)
      return problems_.error({label, 0, 0, 1}, name + " needs one value",
                             "name one value: this is one point");
    found.push_back(std::move(read.column));
  }

  Problems& problems_;
  AxisContext context_;
};

}  // namespace

std::vector<sweep::AxisColumn> read_choices(const std::vector<std::string>& choices, SweepInputs& inputs) {
  Problems problems;
  ChoiceReader reader(inputs, problems);
  for (const std::string& choice : choices)
    for (const std::string& part : parts_of(choice)) reader.read(part);
  problems.throw_if_any();
  return std::move(reader.found);
}

}  // namespace echo::config
