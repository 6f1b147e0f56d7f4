// Any bytes are a model's config.json or problems; what is read makes a preset that reads as the same model.
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/catalog/preset_files.hpp"
#include "hugging_face/preset_of_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace hub = echo::hugging_face;
  const std::string text(reinterpret_cast<const char*>(data), size);
  echo::Problems problems;
  const auto read = hub::read_model_config(text, "fuzz.json", problems);
  if (read.has_value() != (problems.errors() == 0)) std::abort();
  if (!read) return 0;
  echo::training::ModelSpec expected = read->model;
  expected.name = "fuzz", expected.source = "here";
  const auto table = echo::config::parse_toml(hub::preset_text(*read, "fuzz", "here"), "fuzz.toml", problems);
  if (!table) std::abort();
  echo::config::TableReader reader(*table, {}, "model", problems);
  if (echo::config::read_model(reader) != expected || problems.errors() > 0) std::abort();
  return 0;
}
