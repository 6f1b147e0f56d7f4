#include "campaign/reliability.hpp"

#include <array>
#include <charconv>

namespace echo::campaign {

namespace {

// The shortest digits that read back the same.
std::string digits(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

}  // namespace

Reliability filled_up(Reliability own, const Reliability& preset) {
  const auto fill = [](double& value, double from) {
    if (value < 0.0) value = from;
  };
  if (!own.is_given()) {
    own.gpu_mtbf = preset.gpu_mtbf;
    own.node_mtbf = preset.node_mtbf;
    own.job_mtbf = preset.job_mtbf;
  }
  fill(own.detection, preset.detection);
  fill(own.restart, preset.restart);
  if (own.repair < 0.0 && own.spares < 0) own.repair = preset.repair, own.spares = preset.spares;
  fill(own.every, preset.every);
  if (!own.mode_is_given) own.mode = preset.mode;
  if (own.write_bandwidth < 0.0 && own.node_write_bandwidth < 0.0 && own.write_time < 0.0) {
    own.write_bandwidth = preset.write_bandwidth;
    own.node_write_bandwidth = preset.node_write_bandwidth;
    own.write_time = preset.write_time;
  }
  fill(own.stall, preset.stall);
  fill(own.read_bandwidth, preset.read_bandwidth);
  return own;
}

std::string describe(const Reliability& r) {
  if (!r.is_given()) return "";
  std::string text = r.preset.empty() ? "" : "preset " + r.preset;
  const auto add = [&](const char* name, double value, const char* unit) {
    if (value >= 0.0) text += (text.empty() ? "" : ", ") + std::string(name) + " " + digits(value) + unit;
  };
  add("gpu_mtbf", r.gpu_mtbf, " s");
  add("node_mtbf", r.node_mtbf, " s");
  add("job_mtbf", r.job_mtbf, " s");
  add("detection", r.detection, " s");
  add("restart", r.restart, " s");
  add("repair", r.repair, " s");
  add("spares", static_cast<double>(r.spares), "");
  text += r.mode == CheckpointMode::async ? ", checkpoint async" : ", checkpoint blocking";
  if (r.every == 0.0) text += ", every best";
  if (r.every > 0.0) add("every", r.every, " s");
  add("write_bandwidth", r.write_bandwidth, " B/s");
  add("node_write_bandwidth", r.node_write_bandwidth, " B/s");
  add("write_time", r.write_time, " s");
  add("stall", r.stall, " s");
  add("read_bandwidth", r.read_bandwidth, " B/s");
  return text;
}

}  // namespace echo::campaign
