// Source: Sys::initialize_sys and astraccl/CollectiveImplLookup.cc of ASTRA-sim 518bd51; the orders of
// dimensions ("inter-dimension-scheduling") are of versions before that. Without "collective-optimization"
// all-reduces are whole in every dimension there. Cycles are nanoseconds.
#include <algorithm>
#include <array>
#include <cmath>

#include "launch_flags/readers/readers.hpp"
#include "machine/given_algorithms.hpp"
#include "machine_files/astra_machine.hpp"
#include "machine_files/setting_words.hpp"

namespace echo::machine_files {
namespace {

using launch_flags::Setting;
using launch_flags::Settings;
using machine::DimensionAlgorithm;
using machine::GivenMachine;

struct Word {
  std::string_view name;
  DimensionAlgorithm algorithm;
};
constexpr std::array<Word, 4> algorithms{{{"ring", DimensionAlgorithm::ring},
                                          {"direct", DimensionAlgorithm::direct},
                                          {"halvingDoubling", DimensionAlgorithm::halving_doubling},
                                          {"doubleBinaryTree", DimensionAlgorithm::double_binary_tree}}};

// Keys that are not about collectives, or that the versions with a value for them ignore.
constexpr std::array<std::string_view, 15> passed_over{"boost-mode",
                                                       "peak-perf",
                                                       "roofline-enabled",
                                                       "track-local-mem",
                                                       "trace-enabled",
                                                       "replay-only",
                                                       "local-mem-trace-filename",
                                                       "L",
                                                       "o",
                                                       "g",
                                                       "G",
                                                       "local-reduction-delay",
                                                       "model-shared-bus",
                                                       "intra-dimension-scheduling",
                                                       "local-mem-latency"};

class SystemReader {
 public:
  SystemReader(const std::string& text, const std::string& file, AstraMachine& out, Problems& problems)
      : text_(text), file_(file), out_(out), machine_(out.machine), problems_(problems) {}

  void read() {
    const int before = problems_.errors();
    settings_ = launch_flags::read_json(text_, file_, problems_);
    if (problems_.errors() > before) return;
    machine_.whole_all_reduce = true;
    read_chunks();
    for (const Setting& one : settings_)
      if (!read(one)) unknown(one);
  }

 private:
  // Whether the key is known.
  bool read(const Setting& one) {
    const std::string& key = one.key;
    if (key == "preferred-dataset-splits" || key == "active-chunks-per-dimension") return true;
    if (key == "scheduling-policy") return read_policy(one), true;
    if (key == "collective-optimization")
      return machine_.whole_all_reduce = choose(one, {"baseline", "localBWAware"}) == 0, true;
    if (key == "endpoint-delay")
      return machine_.endpoint_delay = from_seconds(number(one, 0.0, 1e9) * 1e-9), true;
    if (key == "local-mem-bw")
      return machine_.reduction_memory = BytesPerSecond(number(one, 0.0, 1e12) * 1e9), true;
    if (key == "inter-dimension-scheduling") return read_order(one), true;
    for (std::size_t i = 0; i < machine::chosen_collective_names.size(); ++i) {
      std::string name(machine::chosen_collective_names[i]);
      std::ranges::replace(name, '_', '-');
      if (key == name + "-implementation") return read_algorithms(one, i), true;
      if (key == name + "-implementation-custom" || key == "per-node-custom-implementation") {
        out_.notes.push_back("\"" + key + "\": " + one.value +
                             " is not taken over; name its files under programs of [collectives]");
        return true;
      }
    }
    if (std::ranges::find(passed_over, key) == passed_over.end()) return false;
    if (key == "model-shared-bus" && one.value != "0")
      problems_.error(one.place, "a shared bus of the memory is not simulated", "write 0, or remove it");
    return true;
  }

  void unknown(const Setting& one) {
    out_.notes.push_back("\"" + one.key + "\" of the system is not taken over");
  }

  double number(const Setting& one, double least, double most) {
    const auto value = number_of(one.value);
    if (value && *value >= least && *value <= most) return *value;
    problems_.error(one.place, "\"" + one.value + "\" is not a number of " + one.key + ", 0 or more",
                    "correct it");
    return least;
  }
  std::int32_t whole(std::string_view key, std::int32_t otherwise) {
    const Setting* const one = find(settings_, key);
    if (one == nullptr) return otherwise;
    const auto value = number_of(one->value);
    if (value && *value >= 1.0 && *value <= 1024.0 && *value == std::floor(*value))
      return static_cast<std::int32_t>(*value);
    problems_.error(one->place, "\"" + one->value + "\" is not a whole number from 1 to 1024", "correct it");
    return otherwise;
  }
  void read_chunks() {
    if (find(settings_, "preferred-dataset-splits") == nullptr)
      problems_.error({file_, 1, 1, 1}, "the system has no preferred-dataset-splits",
                      "write \"preferred-dataset-splits\": 4, the chunks of a collective");
    machine_.chunks = whole("preferred-dataset-splits", 1);
    machine_.active_chunks = whole("active-chunks-per-dimension", 1);
  }
  int choose(const Setting& one, std::initializer_list<std::string_view> words) {
    std::string list;
    int number = 0;
    for (const std::string_view word : words) {
      if (one.value == word) return number;
      list += (number++ > 0 ? ", " : "") + std::string(word);
    }
    problems_.error(one.place, "\"" + one.value + "\" is not a " + one.key, "write one of " + list);
    return 0;
  }
  void read_policy(const Setting& one) {
    const int policy = choose(one, {"FIFO", "LIFO", "EXPLICIT"});
    machine_.lifo = policy == 1;
    if (policy == 2) out_.notes.emplace_back("explicit priorities of collectives are not taken over: fifo");
  }
  void read_order(const Setting& one) {
    const int order = choose(one, {"ascending", "offlineGreedy", "offlineGreedyFlex", "themis"});
    machine_.order = order == 0   ? machine::ChunkOrder::ascending
                     : order == 1 ? machine::ChunkOrder::themis
                                  : machine::ChunkOrder::themis_sized;
  }

  void read_algorithms(const Setting& one, std::size_t collective) {
    const std::vector<PlacedWord> words = words_of(one, text_);
    if (words.size() != machine_.dimensions.size()) {
      problems_.error(one.place,
                      one.key + " has " + std::to_string(words.size()) + " members, the network " +
                          std::to_string(machine_.dimensions.size()) + " dimensions",
                      "give one for each dimension");
      return;
    }
    for (std::size_t i = 0; i < words.size(); ++i)
      machine_.dimensions[i].algorithm[collective] = algorithm(words[i], collective, machine_.dimensions[i]);
  }

  machine::AlgorithmChoice algorithm(const PlacedWord& word, std::size_t collective,
                                     const machine::GivenDimension& d) {
    const auto wrong = [&](const std::string& what, const char* remedy) {
      problems_.error(word.place, what, remedy);
      return machine::AlgorithmChoice{};
    };
    std::string_view name = word.text;
    std::int32_t window = 0;
    if (name.starts_with("direct") && name.size() > 6) {
      const auto given = number_of(name.substr(6));
      if (!given || *given < 1 || *given > 1 << 20 || *given != std::floor(*given))
        return wrong("\"" + word.text + "\" has no whole number for its window", "write direct or direct4");
      window = static_cast<std::int32_t>(*given);
      name = name.substr(0, 6);
    }
    if (name.starts_with("one"))
      return wrong("\"" + word.text + "\" lays one algorithm over all dimensions, which is not simulated",
                   "write ring, direct or halvingDoubling for each dimension");
    const auto* const found = std::ranges::find(algorithms, name, &Word::name);
    if (found == algorithms.end())
      return wrong("\"" + word.text + "\" is not an algorithm",
                   "write ring, direct, halvingDoubling or doubleBinaryTree");
    if (!machine::does(found->algorithm, static_cast<machine::ChosenCollective>(collective)))
      return found->algorithm == DimensionAlgorithm::double_binary_tree
                 ? wrong("doubleBinaryTree does all-reduces only", "write ring, direct or halvingDoubling")
                 : wrong(word.text + " does no all-to-all", "write ring or direct");
    if (!machine::fits(found->algorithm, d.size))
      return wrong(word.text + " needs a power of two, and the dimension has " + std::to_string(d.size),
                   "write ring or direct");
    return {found->algorithm, window};
  }

  const std::string& text_;
  const std::string& file_;
  AstraMachine& out_;
  GivenMachine& machine_;
  Problems& problems_;
  Settings settings_;
};

}  // namespace

void read_astra_system(const std::string& text, const std::string& file, AstraMachine& out,
                       Problems& problems) {
  SystemReader(text, file, out, problems).read();
}

}  // namespace echo::machine_files
