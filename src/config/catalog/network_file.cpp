#include "config/catalog/network_file.hpp"

#include <fmt/format.h>

#include "config/toml/toml_text.hpp"

namespace echo::config {
std::string network_file_text(const NetworkFile& file) {
  std::string out =
      "# Network constants; fields are explained in src/collective/constants.hpp. Written by the network "
      "fit.\n";
  out += fmt::format(
      "name = {}\nsource = {}\nlicence = {}\ndate = {}\nmost_nodes = {}  # of the logs\n\n[constants]\n",
      quoted(file.name), quoted(file.source), quoted(file.licence), quoted(file.date), file.most_nodes);
  const auto fields = collective::network_constant_fields();
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const double value = file.fit.constants.*fields[f].member;
    const bool fitted = file.fit.moved[f];
    const std::string from = fitted ? "fitted" : file.prior.empty() ? "assumed" : "as " + file.prior;
    out += fmt::format("{} = {{ value = {:.5g}, error = {:.2g}, source = {} }}\n", fields[f].name, value,
                       fitted ? file.fit.error[f] : 0.3 * value, quoted(from));
  }
  out += "\n[fit]\n";
  for (const auto& [name, value] : file.figures) {
    const bool counts = name == "rows";
    out += counts ? fmt::format("{} = {:.0f}\n", name, value) : fmt::format("{} = {:.4f}\n", name, value);
  }
  return out;
}

}  // namespace echo::config
