// Completion scripts.
// A first word that is no command is a sweep to run, so the options of `run` are those of any other first
// word, too.
#include "cli/shell_completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echo::cli {
namespace {

constexpr std::string_view default_command = "run";

std::string with_each(std::string_view text, char what, std::string_view by) {
  std::string out;
  for (const char c : text) {
    if (c == what) {
      out += by;
    } else {
      out += c;
    }
  }
  return out;
}

bool is_argument(const DeclaredOption& option) { return option.names.front() != '-'; }

// "-o,--output" -> {"-o", "--output"}
std::vector<std::string> spellings_of(const DeclaredOption& option) {
  std::vector<std::string> names{""};
  for (const char c : option.names) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

std::string bash_pattern(const DeclaredCommand& command) {
  return command.name == default_command ? "*" : command.name;
}

// One branch of the script's outer `case`: what may stand at `word`, for one command.
std::string bash_branch(const DeclaredCommand& command) {
  std::vector<std::string> all, with_value;
  std::string choices, action;
  for (const DeclaredOption& option : command.options) {
    if (is_argument(option)) {
      if (action.empty()) action = fmt::format("{}", fmt::join(option.allowed, " "));
      continue;
    }
    const auto names = spellings_of(option);
    all.insert(all.end(), names.begin(), names.end());
    if (option.kind == DeclaredOption::Kind::flag) continue;
    if (option.allowed.empty()) {
      with_value.insert(with_value.end(), names.begin(), names.end());
    } else {
      choices +=
          fmt::format("        {}) words='{}' ;;\n", fmt::join(names, "|"), fmt::join(option.allowed, " "));
    }
  }
  std::string text = fmt::format("    {})\n      case $before in\n{}", bash_pattern(command), choices);
  if (!with_value.empty()) text += fmt::format("        {}) return ;;\n", fmt::join(with_value, "|"));
  text += fmt::format("        *) [[ $word != -* ]] || words='{}'", fmt::join(all, " "));
  if (!action.empty()) text += fmt::format("\n           ((COMP_CWORD > 2)) || words+=' {}'", action);
  return text + " ;;\n      esac ;;\n";
}

// Text inside the single quotes of a zsh script.
std::string zsh_quoted(std::string_view text) { return with_each(text, '\'', "'\\''"); }

// One argument of zsh's _arguments.
std::string zsh_spec(const DeclaredOption& option) {
  const std::string values =
      option.allowed.empty() ? "_files" : fmt::format("({})", fmt::join(option.allowed, " "));
  if (is_argument(option)) {
    const std::string_view many = option.kind == DeclaredOption::Kind::arguments           ? "*:"
                                  : option.kind == DeclaredOption::Kind::optional_argument ? "::"
                                                                                           : ":";
    return fmt::format("'{}{}:{}'", many, option.names, values);
  }
  const std::string help = zsh_quoted(with_each(with_each(option.help, '[', "\\["), ']', "\\]"));
  const std::string rest = option.kind == DeclaredOption::Kind::flag
                               ? fmt::format("[{}]'", help)
                               : fmt::format("[{}]:value:{}'", help, values);
  const auto names = spellings_of(option);
  const std::string_view repeat = option.kind == DeclaredOption::Kind::values ? "*" : "";
  if (names.size() == 1) return fmt::format("'{}{}{}", repeat, names[0], rest);
  return fmt::format("'({})'{{{}}}'{}", fmt::join(names, " "), fmt::join(names, ","), rest);
}

std::string zsh_branch(const DeclaredCommand& command) {
  const bool is_default = command.name == default_command;
  std::string text = fmt::format("    ({})\n", is_default ? "*" : command.name);
  if (is_default) {
    text +=
        fmt::format("      if [[ $words[2] == {} ]]; then shift words; ((CURRENT--)); fi\n", command.name);
  } else {
    text += "      shift words; ((CURRENT--))\n";
  }
  text += "      _arguments";
  for (const DeclaredOption& option : command.options) text += " \\\n        " + zsh_spec(option);
  return text + " ;;\n";
}

// A branch for each command, that of every other first word last.
template <class Branch>
std::string branches(std::span<const DeclaredCommand> commands, Branch&& branch) {
  std::string text, last;
  for (const DeclaredCommand& command : commands)
    (command.name == default_command ? last : text) += branch(command);
  return text + last;
}

}  // namespace

std::string bash_completion(std::span<const DeclaredCommand> commands) {
  std::string names;
  for (const DeclaredCommand& command : commands) names += command.name + " ";
  return fmt::format(R"(# Completion of echo-sweep for bash. Made by: echo-sweep completion bash
_echo_sweep() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  COMPREPLY=()
  # --option=value is three words to bash.
  if [[ $word == = ]]; then word=''; elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  if ((COMP_CWORD == 1)); then
    words='{}--help --version'
  else
    case ${{COMP_WORDS[1]}} in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o bashdefault -o default -F _echo_sweep echo-sweep
)",
                     names, branches(commands, bash_branch));
}

std::string zsh_completion(std::span<const DeclaredCommand> commands) {
  std::string names;
  for (const DeclaredCommand& command : commands)
    names += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.summary));
  return fmt::format(R"(#compdef echo-sweep
# Completion of echo-sweep for zsh. Made by: echo-sweep completion zsh
_echo_sweep() {{
  local -a commands=(
{}    '--help:list commands and options'
    '--version:version, commit, compiler and MPI'
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    _files -g '*.toml'
    return
  fi
  case $words[2] in
{}  esac
}}
_echo_sweep "$@"
)",
                     names, branches(commands, zsh_branch));
}

}  // namespace echo::cli
