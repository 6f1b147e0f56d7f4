// Every key of a sweep file except its axes: its type and its effect. The reader, `echo-sweep schema` and the
// tests use these tables.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/terms.hpp"
#include "sweep/spec.hpp"

namespace echo::config {

enum class SettingForm {
  text,
  integer,
  word,          // one of `words`
  duration,      // "3 h 30 min"
  tokens,        // "1T tokens"
  share,         // 0.9 or "90 %"
  failures,      // 10, "10" or "2 %"
  skew,          // { sigma = "2 %", draws = 64 }
  files,         // ["a100.h5"]: files that are there, relative to the one that names them
  word_or_file,  // one of `words`, or an existing file
  path,          // an existing file or folder
  texts,         // ["dp", "fsdp"]
  gpu_hours,     // "2.10 USD" or { h100-sxm = "2.10 USD" }
  electricity,   // "0.12 USD/kWh"
  carbon,        // "0.4 kg/kWh"
  ratio,         // 1.25: 1 or more
  not_yet        // known but refused; `help` names the alternative
};

struct SettingValue {
  std::string text;     // of prices, the currency
  double number = 0.0;  // integer, tokens, share, ratio, price or carbon per kWh; seconds of a duration;
                        // index of a word, its number if it is a file; sigma
  std::int64_t draws = 0;
  std::vector<campaign::GpuHourPrice> prices;
  std::vector<std::string> files;  // as paths from where the program runs; of texts, these
};

struct Setting {
  std::string_view section, key;  // section "" = the top of the file
  SettingForm form;
  std::string_view help;
  void (*store)(sweep::SweepSpec&, const SettingValue&) = nullptr;
  std::vector<std::string> words = {};
  double low = 0.0, high = 9e18;  // of an integer
};
[[nodiscard]] std::span<const Setting> settings();

// Sections of lists: [[keep]], [[limit]], [[objective]]. All values are strings, a bound may be a number too.
enum class EntryForm { text, expression, bound, metric, goal };
struct EntryKey {
  std::string_view list, key;
  EntryForm form;
  bool required;
  std::string_view help;
};
[[nodiscard]] std::span<const EntryKey> entry_keys();

// Kinds of presets that a user writes: "gpus", ...
[[nodiscard]] std::span<const std::string_view> preset_sections();
// These and the fitted constants, "kernels" and "networks": what an included file may define. Each
// [gpus.NAME] holds the keys of a catalog file.
[[nodiscard]] std::span<const std::string_view> included_sections();

}  // namespace echo::config
