// Reading a launch script.
// Problem: flags of a training program are spread over variables, arrays and the lines of one long command.
// Idea: run the assignments in order, replace variables in every other command, and take whatever looks like
// a flag, whichever command it is of: later ones win, as they do for the programs themselves.
#include <algorithm>
#include <cctype>

#include "launch_flags/readers/readers.hpp"
#include "launch_flags/readers/shell_values.hpp"
#include "launch_flags/readers/shell_words.hpp"

namespace echo::launch_flags {

namespace {

using Kind = ShellWord::Kind;
constexpr std::size_t most_words = 200'000;

bool is_flag(const std::string& text) {
  return text.size() > 2 && text.starts_with("--") && std::isalpha(static_cast<unsigned char>(text[2])) != 0;
}

std::string key_of(std::string flag) {
  std::ranges::replace(flag, '_', '-');
  return flag;
}

// Where the value begins in NAME=value and NAME+=value; 0 where it is neither.
std::size_t value_begin(const std::string& text) {
  std::size_t i = 0;
  while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_')) ++i;
  if (i == 0 || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return 0;
  if (text.compare(i, 2, "+=") == 0) return i + 2;
  return i < text.size() && text[i] == '=' ? i + 1 : 0;
}

class Script {
 public:
  Script(std::vector<ShellWord> words, Problems& problems) : words_(std::move(words)), problems_(problems) {}

  Settings settings() {
    while (at_ < words_.size() && !too_long_) command();
    if (!has_flags_)  // a file that other scripts include: the flags are all in its variables
      for (const auto& [name, words] : variables_) take_flags(words);
    return std::move(out_);
  }

 private:
  // One command: assignments before the first other word, then its words.
  void command() {
    bool exports = false;
    std::vector<ShellWord> rest;
    for (; at_ < words_.size(); ++at_) {
      const ShellWord& word = words_[at_];
      if (word.kind == Kind::end) break;
      if (word.kind == Kind::array_begin) {
        array();
        continue;
      }
      if (word.kind == Kind::array_end) continue;
      if (rest.empty() && word.text == "export") {
        exports = true;
        continue;
      }
      if (rest.empty() && word.text == "case") return pass_over_case();
      if (rest.empty() && word.kind == Kind::word && value_begin(word.text) > 0) {
        assign(word, exports);
        continue;
      }
      for (ShellWord& one : expanded(word, variables_)) push(rest, std::move(one));
    }
    ++at_;
    take_flags(rest);
  }
  void push(std::vector<ShellWord>& words, ShellWord word) {
    if (++taken_ > most_words && !too_long_) {
      too_long_ = true;
      problems_.error(word.place, "the script becomes longer than " + std::to_string(most_words) + " words",
                      "give the flags by themselves");
    }
    if (!too_long_) words.push_back(std::move(word));
  }
  void array() {
    const std::string& text = words_[at_].text;
    const bool adds = text.ends_with("+=");
    const std::string name = text.substr(0, text.size() - (adds ? 2 : 1));
    std::vector<ShellWord> members;
    if (adds) members = variables_[name];
    for (++at_; at_ < words_.size() && words_[at_].kind != Kind::array_end; ++at_)
      if (words_[at_].kind == Kind::word)
        for (ShellWord& one : expanded(words_[at_], variables_)) push(members, std::move(one));
    variables_[name] = std::move(members);
  }
  void assign(const ShellWord& word, bool exports) {
    const std::size_t begin = value_begin(word.text);
    const bool adds = word.text[begin - 2] == '+';
    const std::string name = word.text.substr(0, begin - (adds ? 2 : 1));
    ShellWord value = word;
    value.text = word.text.substr(begin);
    std::vector<ShellWord> words = adds ? variables_[name] : std::vector<ShellWord>();
    for (ShellWord& one : expanded(value, variables_)) push(words, std::move(one));
    const bool is_nccl = name.starts_with("NCCL_");
    if ((exports || is_nccl) && !words.empty()) {
      std::string text;
      for (const ShellWord& one : words) text += (text.empty() ? "" : " ") + one.text;
      add({environment_prefix + name, text, word.place});
    }
    variables_[name] = std::move(words);
  }
  void pass_over_case() {
    while (at_ < words_.size() && words_[at_].text != "esac") ++at_;
  }
  void take_flags(const std::vector<ShellWord>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (!is_flag(words[i].text)) continue;
      const std::size_t equals = words[i].text.find('=');
      Setting setting{key_of(words[i].text.substr(0, equals)), "", words[i].place};
      if (equals != std::string::npos) {
        setting.value = words[i].text.substr(equals + 1);
      } else {
        for (; i + 1 < words.size() && is_value(words[i + 1].text); ++i)
          setting.value += (setting.value.empty() ? "" : " ") + words[i + 1].text;
      }
      if (setting.value.empty()) setting.value = "true";
      has_flags_ = true;
      add(std::move(setting));
    }
  }
  // Not a flag, nor the program that is started.
  static bool is_value(const std::string& text) {
    const bool is_option = text.size() > 1 && text[0] == '-' &&
                           std::isdigit(static_cast<unsigned char>(text[1])) == 0 && text[1] != '.';
    return !is_option && !text.ends_with(".py") && text != "python" && text != "python3" &&
           text != "torchrun";
  }
  void add(Setting setting) {
    if (out_.size() < most_settings) return out_.push_back(std::move(setting));
    if (!too_long_)
      problems_.error(setting.place, "more than " + std::to_string(most_settings) + " settings",
                      "give the flags by themselves");
    too_long_ = true;
  }

  std::vector<ShellWord> words_;
  Problems& problems_;
  ShellVariables variables_;
  Settings out_;
  std::size_t at_ = 0, taken_ = 0;
  bool too_long_ = false, has_flags_ = false;
};

}  // namespace

Settings read_shell(const std::string& text, const std::string& file, Problems& problems) {
  if (text.find('\0') != std::string::npos) {
    problems.error({file, 0, 0, 1}, "this is no text", "give a shell script or the flags of a program");
    return {};
  }
  return Script(shell_words(text, file), problems).settings();
}

}  // namespace echo::launch_flags
