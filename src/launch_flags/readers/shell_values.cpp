#include "launch_flags/readers/shell_values.hpp"

#include <cctype>

namespace echo::launch_flags {

namespace {

constexpr int deepest = 32;                 // of variables within variables, and of parentheses
constexpr std::size_t most_text = 1 << 16;  // of one expanded word

// $@, $*, $#, $? and $!.
bool is_special(char c) { return c == '@' || c == '*' || c == '#' || c == '?' || c == '!'; }

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string joined(const std::vector<ShellWord>& words) {
  std::string text;
  for (const ShellWord& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

std::string unquoted(std::string text) {
  const bool is_quoted =
      text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::string substituted(const std::string& text, const ShellVariables& variables, int depth);

// NAME, NAME:-default, NAME-default, NAME:=default, NAME[@].
std::string braces(const std::string& inner, const ShellVariables& variables, int depth) {
  std::size_t end = 0;
  while (end < inner.size() && is_name(inner[end])) ++end;
  const auto found = variables.find(inner.substr(0, end));
  std::string rest = inner.substr(end);
  if (rest.starts_with("[")) {
    const std::size_t close = rest.find(']');
    rest = close == std::string::npos ? "" : rest.substr(close + 1);
  }
  if (found != variables.end() && !joined(found->second).empty()) return joined(found->second);
  if (rest.starts_with(":")) rest.erase(0, 1);
  if (!rest.starts_with("-") && !rest.starts_with("=")) return "";
  return unquoted(substituted(rest.substr(1), variables, depth + 1));
}

std::string substituted(const std::string& text, const ShellVariables& variables, int depth) {
  std::string out;
  for (std::size_t i = 0; i < text.size() && depth < deepest && out.size() < most_text;) {
    if (text[i] != '$') {
      out += text[i++] == literal_dollar ? '$' : text[i - 1];
      continue;
    }
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (next == '(' || next == '{') {
      const std::size_t end = end_of_substitution(text, i);
      const bool is_closed = end >= i + 3;
      const std::string inner = is_closed ? text.substr(i + 2, end - i - 3) : "";
      if (next == '{') {
        out += braces(inner, variables, depth);
      } else if (inner.size() > 1 && inner.front() == '(' && inner.back() == ')') {
        const auto value = arithmetic(inner.substr(1, inner.size() - 2), variables);
        if (value) out += std::to_string(*value);
      }
      i = end;
      continue;
    }
    std::size_t end = i + 1;
    while (end < text.size() && is_name(text[end])) ++end;
    const auto found = variables.find(text.substr(i + 1, end - i - 1));
    if (found != variables.end()) out += joined(found->second);
    if (end == i + 1 && !is_special(next)) out += '$';
    i = std::max(end, i + (is_special(next) ? 2 : 1));
  }
  return out;
}

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const ShellVariables& variables) : text_(text), variables_(variables) {}
  std::optional<long long> whole() {
    const auto value = sum(0);
    blanks();
    return value && at_ == text_.size() ? value : std::nullopt;
  }

 private:
  using Value = std::optional<long long>;
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  char operation(std::string_view any) {
    blanks();
    if (at_ >= text_.size() || any.find(text_[at_]) == std::string_view::npos) return '\0';
    return text_[at_++];
  }
  Value sum(int depth) {
    Value total = product(depth);
    while (const char op = total ? operation("+-") : '\0') {
      const Value more = product(depth);
      long long out = 0;
      if (!more || (op == '+' ? __builtin_add_overflow(*total, *more, &out)
                              : __builtin_sub_overflow(*total, *more, &out)))
        return std::nullopt;
      total = out;
    }
    return total;
  }
  Value product(int depth) {
    Value total = factor(depth);
    while (const char op = total ? operation("*/%") : '\0') {
      const Value more = factor(depth);
      long long out = 0;
      if (!more || (op != '*' && (*more == 0 || *more == -1))) return std::nullopt;
      if (op == '*' && __builtin_mul_overflow(*total, *more, &out)) return std::nullopt;
      total = op == '*' ? out : op == '/' ? *total / *more : *total % *more;
    }
    return total;
  }
  Value factor(int depth) {
    if (depth > deepest) return std::nullopt;
    if (operation("(") != '\0') {
      const Value inner = sum(depth + 1);
      return inner && operation(")") != '\0' ? inner : std::nullopt;
    }
    blanks();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '$') {
      const bool in_braces = at_ + 1 < text_.size() && text_[at_ + 1] == '{';
      const std::string rest(text_.substr(at_));
      std::size_t end = 1;
      while (end < rest.size() && is_name(rest[end])) ++end;
      if (in_braces) end = end_of_substitution(rest, 0);
      at_ += end;
      return number(substituted(rest.substr(0, end), variables_, depth));
    }
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (const auto found = variables_.find(word); found != variables_.end())
      return number(joined(found->second));
    return number(word);
  }
  static Value number(const std::string& text) {
    constexpr std::size_t longest = 15;
    if (text.empty() || text.size() > longest || text.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    return std::stoll(text);
  }

  std::string_view text_;
  const ShellVariables& variables_;
  std::size_t at_ = 0;
};

// "${NAME[@]}" by itself: the array's own words, with their places.
const std::vector<ShellWord>* whole_array(const std::string& text, const ShellVariables& variables) {
  if (!text.starts_with("${") || !(text.ends_with("[@]}") || text.ends_with("[*]}"))) return nullptr;
  constexpr std::size_t before = 2, after = 4;
  if (text.size() <= before + after) return nullptr;
  const auto found = variables.find(text.substr(before, text.size() - before - after));
  return found == variables.end() ? nullptr : &found->second;
}

}  // namespace

std::optional<long long> arithmetic(std::string_view text, const ShellVariables& variables) {
  return Arithmetic(text, variables).whole();
}

std::vector<ShellWord> expanded(const ShellWord& word, const ShellVariables& variables) {
  if (const std::vector<ShellWord>* array = whole_array(word.text, variables)) return *array;
  const std::string text = substituted(word.text, variables, 0);
  const bool holds_flags = text.starts_with("--") || text.find(" --") != std::string::npos ||
                           text.find("\n--") != std::string::npos;
  std::vector<ShellWord> words;
  if (!holds_flags || text.find_first_of(" \t\n") == std::string::npos) {
    if (!text.empty()) words.push_back({text, word.place, word.kind});
    return words;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    begin = text.find_first_not_of(" \t\n\\", begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    words.push_back({unquoted(text.substr(begin, end - begin)), word.place, word.kind});
    begin = end;
  }
  return words;
}

}  // namespace echo::launch_flags
