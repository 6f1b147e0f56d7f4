// The language of one version of a training framework: the settings by which it says a training config.
// One table serves both directions. Loaded from sweeps/catalog/launch/*.toml.
#pragma once

#include <string>
#include <vector>

#include "launch_flags/settings.hpp"

namespace echo::launch_flags {

// A name and a value. Names of facts: an axis ("tp"), a field of the model ("model.layers") or what follows
// from them (facts.hpp); names of settings: a key. In a value "*" stands for any text, the same on both sides
// of a row
// ("*,0": the text before ",0"); "a|b" reads either and writes the first.
struct Term {
  std::string name, value;
};

// The facts hold if, and only if, the settings are made.
struct Row {
  std::vector<Term> facts, settings;
};

// Settings that are read together. Writing takes the first row whose facts hold, reading the first whose
// settings do: a key that a row does not name must be missing or have its value of `absent`.
struct Relation {
  std::vector<Row> rows;
  std::vector<Term> absent;  // the value that a missing key means; a setting that has it is not written
};

struct Table {
  std::string name;       // of --for: "megatron-lm"
  std::string title;      // "Megatron-LM"
  std::string version;    // of the framework whose settings these are
  std::string source;     // where they are defined
  std::string framework;  // the preset that simulates it
  Format format = Format::flags;
  std::string program;  // what is launched: "pretrain_gpt.py"
  std::vector<std::string>
      ignored;  // keys that change neither the time nor the memory of a step; a * may stand in each
  std::vector<Term>
      not_simulated;          // other keys that may change them, and what the simulator lacks; also with *
  std::vector<Term> spelled;  // another spelling that is read, and its key; "!KEY": its opposite
  std::vector<std::string> lists;  // keys whose value is a list; facts join its members by "+"
  std::vector<Term> fixed;         // settings that every launch needs and that say nothing of the config
  std::vector<Relation> relations;
};

// Whether `key` is one of `patterns`, in which one * stands for any text.
[[nodiscard]] bool matches_any(const std::vector<std::string>& patterns, const std::string& key);

}  // namespace echo::launch_flags
