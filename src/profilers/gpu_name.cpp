#include "profilers/gpu_name.hpp"

#include <cctype>

namespace echo::profilers {

std::string gpu_preset(std::string_view device_name) {
  for (const DriverName& row : driver_names())
    if (row.device == device_name) return std::string(row.preset);
  std::string name;
  for (const char c : device_name) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unknown" : name;
}

}  // namespace echo::profilers
