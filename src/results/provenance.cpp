#include "results/provenance.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace echo::results {
namespace {

using storage::ElementType;
using storage::Hdf5File;

// Members that are attributes.
struct TextMember {
  const char* name;
  std::string Provenance::*member;
};
constexpr std::array<TextMember, 8> texts{{{"program", &Provenance::program},
                                           {"version", &Provenance::version},
                                           {"git_commit", &Provenance::git_commit},
                                           {"compiler", &Provenance::compiler},
                                           {"build_type", &Provenance::build_type},
                                           {"mpi", &Provenance::mpi},
                                           {"host", &Provenance::host},
                                           {"command", &Provenance::command}}};

// A one-dimensional integer dataset along `scale` (its own when empty).
template <class T>
void write_column(Hdf5File& file, const std::string& path, ElementType type, const std::vector<T>& values,
                  const char* long_name, const std::string& scale) {
  file.make_dataset({path, type, {values.size()}, {}});
  file.write_rows(path, 0, values.size(), values.data());
  file.set_attribute(path, "units", "1");
  file.set_attribute(path, "long_name", long_name);
  if (scale.empty())
    file.make_scale(path);
  else
    file.attach_scale(path, 0, scale);
}

void write_words(Hdf5File& file, const std::string& path, const std::vector<std::string>& words,
                 const char* long_name, const std::string& scale) {
  file.make_texts(path, words);
  file.set_attribute(path, "long_name", long_name);
  file.attach_scale(path, 0, scale);
}

// Projects a list of structs onto one member.
template <class List, class Member>
auto column_of(const List& list, Member member) {
  std::vector<std::remove_cvref_t<decltype(list.front().*member)>> values;
  for (const auto& item : list) values.push_back(item.*member);
  return values;
}

void write_inputs(Hdf5File& file, const std::vector<InputFile>& inputs) {
  if (inputs.empty()) return;
  file.make_group("/provenance/inputs");
  std::vector<std::int32_t> numbers(inputs.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::string scale = "/provenance/inputs/input";
  write_column(file, scale, ElementType::i4, numbers, "number of the file", "");
  write_words(file, "/provenance/inputs/name", column_of(inputs, &InputFile::name), "preset or role", scale);
  write_words(file, "/provenance/inputs/path", column_of(inputs, &InputFile::path), "where it was read",
              scale);
  write_words(file, "/provenance/inputs/hash", column_of(inputs, &InputFile::hash),
              "XXH3-128 of its bytes; of a profile, its digest", scale);
}

void write_launches(Hdf5File& file, const std::vector<Launch>& launches) {
  if (launches.empty()) return;
  file.make_group("/provenance/runs");
  const std::string scale = "/provenance/runs/run";
  write_column(file, scale, ElementType::i4, column_of(launches, &Launch::number), "number of the launch",
               "");
  write_column(file, "/provenance/runs/workers", ElementType::i4, column_of(launches, &Launch::workers),
               "MPI processes", scale);
  write_column(file, "/provenance/runs/points", ElementType::i8, column_of(launches, &Launch::points),
               "points finished and kept", scale);
  write_words(file, "/provenance/runs/start", column_of(launches, &Launch::start), "start, UTC", scale);
  write_words(file, "/provenance/runs/end", column_of(launches, &Launch::end), "end, UTC; empty when killed",
              scale);
  write_words(file, "/provenance/runs/stop_reason", column_of(launches, &Launch::stop_reason),
              "reason of its end", scale);
}

void make_points(Hdf5File& file, std::uint64_t rows) {
  file.make_group("/provenance/points");
  struct Planned {
    const char *path, *units, *long_name;
    ElementType type;
  };
  for (const Planned& planned :
       {Planned{"/provenance/points/seconds", "s", "wall time of simulating this point", ElementType::f4},
        Planned{"/provenance/points/worker", "1", "MPI process that simulated it", ElementType::i4},
        Planned{"/provenance/points/launch", "1", "launch that simulated it", ElementType::i4},
        Planned{"/provenance/points/number", "1", "number of the point in the design space",
                ElementType::i8}}) {
    storage::Shape chunk;
    if (rows > 0) chunk = {std::min<std::uint64_t>(rows, 16384)};
    file.make_dataset({planned.path, planned.type, {rows}, chunk});
    file.set_attribute(planned.path, "units", planned.units);
    file.set_attribute(planned.path, "long_name", planned.long_name);
    file.attach_scale(planned.path, 0, "/config");
  }
}

void write_layer_tables(Hdf5File& file, const std::vector<std::string>& tables) {
  if (tables.empty()) return;
  file.make_texts("/provenance/layer_tables", tables);
  file.make_scale("/provenance/layer_tables");
  file.set_attribute("/provenance/layer_tables", "long_name",
                     "layers of each chunk, indexed by the codes of layer_split");
}

template <class T>
std::vector<T> read_column(const Hdf5File& file, const std::string& path) {
  std::vector<T> values(file.shape(path).front());
  file.read_rows(path, 0, values.size(), values.data());
  return values;
}

std::vector<InputFile> read_inputs(const Hdf5File& file) {
  if (!file.has("/provenance/inputs")) return {};
  const auto names = file.texts("/provenance/inputs/name"), paths = file.texts("/provenance/inputs/path"),
             hashes = file.texts("/provenance/inputs/hash");
  std::vector<InputFile> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) inputs.push_back({names[i], paths[i], hashes[i]});
  return inputs;
}

}  // namespace

void write_provenance(Hdf5File& file, const Provenance& p, const std::vector<std::string>& layer_tables,
                      std::uint64_t rows) {
  const std::string here = "/provenance";
  file.make_group(here);
  for (const TextMember& text : texts) file.set_attribute(here, text.name, p.*text.member);
  file.set_attribute(here, "hdf5", storage::hdf5_version());
  file.make_text(here + "/sweep_toml", p.sweep_toml);
  file.make_text(here + "/resolved_toml", p.resolved_toml);
  write_layer_tables(file, layer_tables);
  write_inputs(file, p.inputs);
  write_launches(file, p.launches);
  make_points(file, rows);
}

void write_failures(Hdf5File& file, const std::vector<Failure>& failures,
                    const std::vector<std::int32_t>& config) {
  if (failures.empty()) return;
  file.make_group("/failures");
  std::vector<std::int32_t> numbers(failures.size()), attempts;
  std::iota(numbers.begin(), numbers.end(), 0);
  std::map<sweep::PointIndex, std::int32_t> tries;
  for (const Failure& failure : failures) attempts.push_back(++tries[failure.id]);
  const std::string scale = "/failures/failure";
  write_column(file, scale, ElementType::i4, numbers, "number of the failure", "");
  write_column(file, "/failures/config", ElementType::i4, config, "row; -1 = the file has no such row",
               scale);
  write_column(file, "/failures/number", ElementType::i8, column_of(failures, &Failure::id),
               "number of the point in the design space", scale);
  write_column(file, "/failures/attempt", ElementType::i4, attempts,
               "number of the failure of this point, from 1", scale);
  write_column(file, "/failures/launch", ElementType::i4, column_of(failures, &Failure::launch),
               "launch that tried", scale);
  write_words(file, "/failures/message", column_of(failures, &Failure::message), "description of the failure",
              scale);
}

std::vector<Launch> read_launches(const Hdf5File& file) {
  const std::string here = "/provenance/runs/";
  if (!file.has("/provenance/runs")) return {};
  const auto numbers = read_column<std::int32_t>(file, here + "run"),
             workers = read_column<std::int32_t>(file, here + "workers");
  const auto points = read_column<std::int64_t>(file, here + "points");
  const auto starts = file.texts(here + "start"), ends = file.texts(here + "end"),
             reasons = file.texts(here + "stop_reason");
  std::vector<Launch> launches;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    launches.push_back({numbers[i], workers[i], starts[i], ends[i], points[i], reasons[i]});
  return launches;
}

std::vector<Failure> read_failures(const Hdf5File& file) {
  if (!file.has("/failures")) return {};
  const auto ids = read_column<std::int64_t>(file, "/failures/number");
  const auto launches = read_column<std::int32_t>(file, "/failures/launch");
  const auto messages = file.texts("/failures/message");
  std::vector<Failure> failures;
  for (std::size_t i = 0; i < ids.size(); ++i) failures.push_back({ids[i], launches[i], messages[i]});
  return failures;
}

std::vector<std::string> read_layer_tables(const Hdf5File& file) {
  const std::string path = "/provenance/layer_tables";
  return file.has(path) ? file.texts(path) : std::vector<std::string>{};
}

Provenance read_provenance(const Hdf5File& file) {
  Provenance p;
  for (const TextMember& text : texts) p.*text.member = file.text_attribute("/provenance", text.name);
  p.sweep_toml = file.text("/provenance/sweep_toml");
  p.resolved_toml = file.text("/provenance/resolved_toml");
  p.inputs = read_inputs(file);
  p.launches = read_launches(file);
  p.failures = read_failures(file);
  return p;
}

}  // namespace echo::results
