#include "cli/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace echo::cli {
namespace {

struct Term {
  std::string_view term, text;
};

constexpr Term exit_codes[] = {
    {"0", "done"},
    {"1", "a bug, or ended by the launcher of MPI"},
    {"2", "wrong usage or input; nothing was written"},
    {"3", "no point of the sweep is feasible"},
    {"4", "more points failed than are tolerated"},
    {"5", "a file cannot be read or written, or memory is refused; of doctor: sweeps cannot run here"},
    {"6", "of diff --exit-code: a row differs"},
    {"75", "stopped early; the same command resumes there"},
};

constexpr Term variables[] = {
    {"ECHO_CATALOG_DIR", "folder of the catalog in place of the one installed with the program"},
    {"XDG_CONFIG_HOME", "presets in its folder echo-sweep come before the catalog's (default: ~/.config)"},
    {"NO_COLOR", "no colour in any output"},
    {"HDF5_USE_FILE_LOCKING", "FALSE for file systems that cannot lock files"},
};

constexpr Term own_files[] = {
    {"../share/echo-sweep/catalog", "the catalog, seen from the folder of the program"},
    {"~/.config/echo-sweep", "presets of the user"},
    {"RESULT.h5.journal", "rows of a sweep that is not complete"},
};

// Text of a page: nothing in it is taken as a request or an escape.
std::string roff_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  const bool is_request = !out.empty() && (out.front() == '.' || out.front() == '\'');
  return is_request ? "\\&" + out : out;
}

// "-o,--output" in bold, and what it takes.
std::string term_of(const DeclaredOption& option) {
  if (option.names.front() != '-') return fmt::format("\\fI{}\\fR", roff_text(option.names));
  std::string names;
  for (const char c : option.names) {
    if (c == ',') {
      names += "\\fR, \\fB";
    } else {
      names += roff_text(std::string_view(&c, 1));
    }
  }
  const std::string value = option.kind == DeclaredOption::Kind::flag ? "" : " \\fIVALUE\\fR";
  return fmt::format("\\fB{}\\fR{}", names, value);
}

std::string paragraph(const DeclaredOption& option) {
  std::string text = fmt::format(".TP\n{}\n{}", term_of(option), roff_text(option.help));
  if (!option.allowed.empty()) text += roff_text(fmt::format(" [{}]", fmt::join(option.allowed, ", ")));
  if (!option.initial.empty()) text += roff_text(fmt::format(" (default: {})", option.initial));
  return text + "\n";
}

// "echo-sweep merge FILE... [options]"
std::string usage(const DeclaredCommand& command) {
  std::string text = "echo-sweep " + command.name;
  for (const DeclaredOption& option : command.options) {
    if (option.names.front() == '-') continue;
    if (option.kind == DeclaredOption::Kind::optional_argument) {
      text += " [" + option.names + "]";
    } else {
      text += " " + option.names + (option.kind == DeclaredOption::Kind::arguments ? "..." : "");
    }
  }
  return text + " [options]";
}

std::string command_section(const DeclaredCommand& command) {
  std::string text = fmt::format(".SS {}\n{}.\n", roff_text(usage(command)), roff_text(command.summary));
  for (const DeclaredOption& option : command.options) text += paragraph(option);
  return text;
}

template <class Terms>
std::string term_list(const Terms& terms) {
  std::string text;
  for (const Term& one : terms)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff_text(one.term), roff_text(one.text));
  return text;
}

}  // namespace

std::string manual_page(std::span<const DeclaredCommand> commands, std::string_view version) {
  std::string text = fmt::format(R"(.\" Made by: echo-sweep man
.TH ECHO\-SWEEP 1 "" "echo\-sweep {}" "User Commands"
.SH NAME
echo\-sweep \- simulate layouts of large\-model training and rank them
.SH SYNOPSIS
.B echo\-sweep
.I SWEEP.toml
[options of run]
.br
.B echo\-sweep
.I COMMAND
[arguments] [options]
.br
.B mpirun \-n
.I WORKERS
.B echo\-sweep
.I SWEEP.toml
[options of run]
.SH DESCRIPTION
A sweep is a TOML file that names models, clusters and the choices of a training layout.
echo\-sweep simulates one training step of every layout and writes a row for each into an HDF5 file, which the other
commands rank, explain and compare.
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
list commands; after a command, its options
.TP
\fB\-\-version\fR
version, commit, compiler and MPI
.SH COMMANDS
)",
                                 version);
  for (const DeclaredCommand& command : commands) text += command_section(command);
  return text + ".SH EXIT STATUS\n" + term_list(exit_codes) + ".SH ENVIRONMENT\n" + term_list(variables) +
         ".SH FILES\n" + term_list(own_files);
}

}  // namespace echo::cli
