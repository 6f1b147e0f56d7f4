#include "config/catalog/fitted/error_file.hpp"

#include <toml++/toml.h>

#include <fmt/format.h>

#include <array>

#include "base/at.hpp"
#include "config/toml/toml_text.hpp"

namespace echo::config {
namespace {

using simulate::ErrorModel;

template <ErrorSource source>
constexpr ErrorField sigma() {
  return {error_source_names[at(source)].data(), 0.0, 10.0,
          [](ErrorModel& m) -> double& { return m.sigma[at(source)]; }};
}

template <double ErrorModel::*member>
constexpr ErrorField field(const char* name, double low, double high) {
  return {name, low, high, [](ErrorModel& m) -> double& { return m.*member; }};
}

constexpr std::array fields{
    sigma<ErrorSource::arithmetic>(),
    sigma<ErrorSource::memory>(),
    sigma<ErrorSource::scale_up>(),
    sigma<ErrorSource::scale_out>(),
    sigma<ErrorSource::latency>(),
    sigma<ErrorSource::host>(),
    sigma<ErrorSource::overlap>(),
    sigma<ErrorSource::framework>(),
    sigma<ErrorSource::layout>(),
    field<&ErrorModel::hidden_communication>("hidden_communication", 0.0, 1.0),
    field<&ErrorModel::own_share>("own_share", 0.0, 10.0),
    field<&ErrorModel::mixtures>("mixtures", 0.0, 10.0),
    field<&ErrorModel::compiled>("compiled", 0.0, 10.0),
    field<&ErrorModel::tuning>("tuning", 0.0, 10.0),
    field<&ErrorModel::unstated_settings>("unstated_settings", 0.0, 10.0),
    field<&ErrorModel::unstated_suite>("unstated_suite", 0.0, 10.0),
    field<&ErrorModel::unstated_machine>("unstated_machine", 0.0, 10.0),
    field<&ErrorModel::untried_choice>("untried_choice", 0.0, 10.0),
    field<&ErrorModel::untried_gpu>("untried_gpu", 0.0, 10.0),
    field<&ErrorModel::untried_framework>("untried_framework", 0.0, 10.0),
    field<&ErrorModel::unmeasured_host>("unmeasured_host", 0.0, 10.0),
    field<&ErrorModel::extrapolated_kernels>("extrapolated_kernels", 0.0, 10.0),
    field<&ErrorModel::unmeasured_network>("unmeasured_network", 0.0, 10.0),
    field<&ErrorModel::beyond_nodes>("beyond_nodes", 0.0, 10.0),
    field<&ErrorModel::measured_kernels>("measured_kernels", 0.0, 1.0),
    field<&ErrorModel::p90>("p90", 0.01, 100.0),
    field<&ErrorModel::memory_states>("memory_states", 0.0, 10.0),
    field<&ErrorModel::memory_activations>("memory_activations", 0.0, 10.0),
    field<&ErrorModel::memory_rest>("memory_rest", 0.0, 10.0),
    field<&ErrorModel::memory_publication>("memory_publication", 0.0, 10.0),
};

}  // namespace

std::span<const ErrorField> error_fields() { return fields; }

ErrorFile read_errors(TableReader& file) {
  ErrorFile read;
  std::string text;
  file.text("name", read.name);
  for (const char* about : {"source", "date"}) file.text(about, text);
  for (const char* free_text : {"grade", "fit"}) file.ignore(free_text);
  if (const toml::table* constants = file.table("constants")) {
    TableReader reader(*constants, place_of(*constants), "constants of \"" + read.name + "\"",
                       file.problems());
    for (const ErrorField& field : fields)
      reader.real(field.name, {field.low, field.high}, field.of(read.model), Presence::optional);
    reader.finish();
  }
  file.finish();
  return read;
}

std::string error_file_text(const ErrorFileText& file) {
  std::string out = fmt::format(
      "# Uncertainty of predicted steps: relative standard deviations of the quantities that a step depends "
      "on\n"
      "# (src/simulate/report/error_model.hpp, error_bands.cpp). Written by `echo-calibrate errors`.\n"
      "name   = \"steps\"\nsource = {}\ndate   = {}\n\n[constants]\n",
      quoted(file.source), quoted(file.date));
  ErrorModel model = file.model;
  for (std::size_t i = 0; i < fields.size(); ++i)
    out += fmt::format("{} = {{ value = {:.4g}, source = {}, grade = {} }}\n", fields[i].name,
                       fields[i].of(model), quoted(file.about.at(i).source), quoted(file.about.at(i).grade));
  out += "\n[fit]\n";
  for (const auto& [name, value] : file.figures) out += fmt::format("{} = {:.4g}\n", name, value);
  return out;
}

}  // namespace echo::config
