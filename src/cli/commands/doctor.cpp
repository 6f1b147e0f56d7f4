// echo-sweep doctor [FOLDER]: reports what this installation can do, what is missing, and how to fix it.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/doctor/doctor_checks.hpp"
#include "cli/terminal/say.hpp"
#include "cli/terminal/terminal.hpp"
#include "text/json.hpp"

namespace echo::cli::commands {

namespace {

constexpr int exit_broken = 5;

struct DoctorOptions {
  std::string folder = ".";
  bool json = false, no_colour = false;
};

const char* word(Finding::State state) {
  switch (state) {
    case Finding::State::ok:
      return "ok";
    case Finding::State::warning:
      return "warning";
    case Finding::State::missing:
      return "missing";
    case Finding::State::broken:
      return "broken";
  }
  return "";
}

std::string findings_json(const std::vector<Finding>& findings, bool can_run) {
  text::Json json;
  json.open_object().member("can_run_sweeps", can_run).key("findings").open_array();
  for (const Finding& finding : findings) {
    json.open_object().member("subject", finding.subject).member("state", word(finding.state));
    json.member("found", finding.found).member("remedy", finding.remedy).close();
  }
  json.close().close();
  return json.text();
}

std::string findings_text(const std::vector<Finding>& findings, bool colour) {
  std::string text;
  for (const Finding& finding : findings) {
    const std::string state = fmt::format("{:<7}", word(finding.state));
    text +=
        fmt::format("{}  {:<13}  {}\n", finding.state == Finding::State::broken ? red(state, colour) : state,
                    finding.subject, printable(finding.found));
    if (!finding.remedy.empty()) text += fmt::format("{:24}-> {}\n", "", printable(finding.remedy));
  }
  return text;
}

int examine(const DoctorOptions& options) {
  std::vector<Finding> findings = check_software();
  for (Finding& finding : check_machine(options.folder)) findings.push_back(std::move(finding));
  const bool can_run = std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.state == Finding::State::broken; });
  if (options.json) {
    say("{}", findings_json(findings, can_run));
  } else {
    fmt::print("{}{}\n", findings_text(findings, wants_colour(stdout, options.no_colour)),
               can_run ? "sweeps can run here" : "no sweep can run here until the broken items are fixed");
  }
  return can_run ? 0 : exit_broken;
}

std::function<int(Invocation&)> declare_doctor(Options& options) {
  auto chosen = std::make_shared<DoctorOptions>();
  options.optional_argument(chosen->folder, "FOLDER", "folder for results (default: the current folder)");
  options.flag(chosen->json, "--json", "print JSON on stdout");
  options.flag(chosen->no_colour, "--no-color", "no colours, as with NO_COLOR in the environment");
  return [chosen](Invocation&) { return examine(*chosen); };
}

}  // namespace

extern const Command doctor{
    .name = "doctor", .summary = "check this installation", .declare = declare_doctor, .reads_inputs = false};

}  // namespace echo::cli::commands
