#include "launch_flags/readers/shell_words.hpp"

namespace echo::launch_flags {

std::size_t end_of_substitution(const std::string& text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

namespace {

using Kind = ShellWord::Kind;

class Lexer {
 public:
  Lexer(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  std::vector<ShellWord> all() {
    while (at_ < text_.size()) step();
    end_word();
    add(Kind::end);
    return std::move(words_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\\') return escape();
    if (c == '\'' || c == '"') return quoted(c);
    if (c == '`') return substitution('`');
    if (c == '$' && (next() == '(' || next() == '{')) return substitution('$');
    if (c == '#' && !in_word_) return comment();
    if (c == '\n' || c == ';' || c == '|' || c == '&') return separator();
    if (c == ' ' || c == '\t' || c == '\r') {
      end_word();
      return skip();
    }
    if (c == '(' && in_word_ && word_.text.ends_with('=')) return open_array();
    if (c == ')' && arrays_ > 0 && !has_open_bracket()) return close_array();
    keep();
  }
  [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  [[nodiscard]] bool has_open_bracket() const {
    return in_word_ && word_.text.find('(') != std::string::npos && word_.text.find(')') == std::string::npos;
  }
  void begin_word() {
    if (in_word_) return;
    in_word_ = true;
    word_ = {"", {file_, line_, column_, 1}, Kind::word};
  }
  void end_word() {
    if (!in_word_) return;
    in_word_ = false;
    word_.place.length = static_cast<std::int32_t>(std::max<std::size_t>(1, word_.text.size()));
    words_.push_back(word_);
  }
  void add(Kind kind) { words_.push_back({"", {file_, line_, column_, 1}, kind}); }
  void skip() {
    column_ = text_[at_] == '\n' ? 1 : column_ + 1;
    line_ += text_[at_] == '\n' ? 1 : 0;
    ++at_;
  }
  void keep() {
    begin_word();
    word_.text += text_[at_];
    skip();
  }
  void escape() {
    if (next() == '\n') {
      end_word();
      skip();
      return skip();
    }
    skip();
    if (at_ >= text_.size()) return;
    if (text_[at_] != '$') return keep();
    begin_word();
    word_.text += literal_dollar;
    skip();
  }
  void quoted(char quote) {
    begin_word();
    skip();
    while (at_ < text_.size() && text_[at_] != quote) {
      const bool is_escaped = quote == '"' && text_[at_] == '\\' && at_ + 1 < text_.size();
      if (is_escaped) skip();
      if (is_escaped && text_[at_] == '\n') {
        skip();
        continue;
      }
      const bool is_literal = text_[at_] == '$' && (quote == '\'' || is_escaped);
      word_.text += is_literal ? literal_dollar : text_[at_];
      skip();
    }
    if (at_ < text_.size()) skip();
  }
  void substitution(char kind) {
    begin_word();
    if (kind == '`') {  // what a command prints is not known
      skip();
      while (at_ < text_.size() && text_[at_] != '`') skip();
      if (at_ < text_.size()) skip();
      word_.text += "$()";
      return;
    }
    const std::size_t end = end_of_substitution(text_, at_);
    while (at_ < end) keep();
  }
  void comment() {
    constexpr std::string_view mark = "#SBATCH";
    const bool is_option = text_.compare(at_, mark.size(), mark) == 0;
    for (std::size_t i = 0; is_option && i < mark.size(); ++i) skip();
    while (at_ < text_.size() && text_[at_] != '\n') {
      const bool is_blank = text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r';
      if (is_option && !is_blank) {
        keep();
        word_.kind = Kind::batch_option;
      } else {
        end_word();
        if (is_option && text_[at_] == '#') break;
        skip();
      }
    }
    end_word();
    while (at_ < text_.size() && text_[at_] != '\n') skip();
    if (is_option) add(Kind::end);
  }
  void separator() {
    end_word();
    if (arrays_ == 0 || text_[at_] != '\n') add(Kind::end);
    skip();
  }
  void open_array() {
    word_.kind = Kind::array_begin;
    ++arrays_;
    end_word();
    skip();
  }
  void close_array() {
    end_word();
    --arrays_;
    add(Kind::array_end);
    skip();
  }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::int32_t line_ = 1, column_ = 1;
  ShellWord word_;
  bool in_word_ = false;
  int arrays_ = 0;
  std::vector<ShellWord> words_;
};

}  // namespace

std::vector<ShellWord> shell_words(const std::string& text, const std::string& file) {
  return Lexer(text, file).all();
}

}  // namespace echo::launch_flags
